import AddIcon from '@mui/icons-material/Add'
import { Box, Button, List as Rows, Typography } from '@mui/material'
import { CreateButton, Link, List, Pagination, TopToolbar, useCreatePath, useListContext } from 'react-admin'
import { useWords } from '../core/i18n.ts'

type Node = {
  '@id': string
  title: string
  handle: string
  children?: (Node | string)[]
  childrenTotal?: number
}

/** The tree, four levels at once; what lies deeper is reached through its parent. */
export function CategoryList() {
  const words = useWords('categories')
  return (
    <List
      filter={{ parent: 'null' }}
      queryOptions={{ meta: { searchParams: { expand: 'children.children.children' } } }}
      sort={{ field: 'position', order: 'ASC' }}
      perPage={50}
      exporter={false}
      actions={
        <TopToolbar>
          <CreateButton label={words.newCategory} />
        </TopToolbar>
      }
      pagination={<Pages />}
    >
      <Tree />
    </List>
  )
}

/** The rows that are counted are the branches at the top: where all are there, their number says nothing. */
function Pages() {
  const { total = 0, perPage } = useListContext()
  return total > perPage ? <Pagination rowsPerPageOptions={[50, 100]} /> : null
}

function Tree() {
  const { data = [] } = useListContext<Node & { id: string }>()
  return (
    <Rows sx={{ p: 1 }}>
      {data.map((each) => (
        <Branch key={each['@id']} node={each} level={0} />
      ))}
    </Rows>
  )
}

function Branch({ node, level }: { node: Node; level: number }) {
  const words = useWords('categories')
  const path = useCreatePath()
  const source = encodeURIComponent(JSON.stringify({ parent: node['@id'] }))
  const { children = [], childrenTotal = children.length } = node
  const below = children.filter((each) => typeof each !== 'string')
  const deeper = childrenTotal - below.length
  return (
    <Box component="li" sx={{ listStyle: 'none' }}>
      <Box
        sx={{
          display: 'flex',
          alignItems: 'center',
          flexWrap: 'wrap',
          columnGap: 1,
          pl: 1.5 + level * 3.5,
          pr: 1,
          py: 0.5,
          borderRadius: 2,
          '&:hover': { bgcolor: 'action.hover' },
          '& .add': { opacity: 0, whiteSpace: 'nowrap', flexShrink: 0 },
          // Where nothing can be pointed at, it would take the place of the names.
          '@media (hover: none), (max-width: 899px)': { '& .add': { display: 'none' } },
          '&:hover .add, &:focus-within .add': { opacity: 1 },
        }}
      >
        <Link
          to={path({ resource: 'categories', type: 'edit', id: node['@id'] })}
          sx={{ fontWeight: level === 0 ? 700 : 500 }}
        >
          {node.title}
        </Link>
        <Typography
          component="span"
          variant="body2"
          sx={{ opacity: 0.75, flex: '1 1 100px', minWidth: 0, overflowWrap: 'anywhere' }}
        >
          {node.handle}
          {deeper > 0 && ` · ${words.moreBelow(deeper)}`}
        </Typography>
        <Button
          className="add"
          component={Link}
          to={{ pathname: '/categories/create', search: `?source=${source}` }}
          size="small"
          startIcon={<AddIcon />}
        >
          {words.addBelow}
        </Button>
      </Box>
      {below.length > 0 && (
        <Rows disablePadding>
          {below.map((each) => (
            <Branch key={each['@id']} node={each} level={level + 1} />
          ))}
        </Rows>
      )}
    </Box>
  )
}
