import CheckBoxIcon from '@mui/icons-material/CheckBox'
import CheckBoxOutlineBlankIcon from '@mui/icons-material/CheckBoxOutlineBlank'
import { Button, ListItemIcon, Menu, MenuItem } from '@mui/material'
import { useState } from 'react'
import { useGridWords } from './words.ts'

/** Chooses the columns of a grid. */
export function ColumnsMenu({
  columns,
  hidden,
  onHide,
}: {
  columns: readonly (readonly [key: string, name: string])[]
  hidden: readonly string[]
  onHide: (hidden: readonly string[]) => void
}) {
  const words = useGridWords()
  const [anchor, setAnchor] = useState<HTMLElement | null>(null)
  const toggle = (key: string) =>
    onHide(hidden.includes(key) ? hidden.filter((each) => each !== key) : [...hidden, key])
  return (
    <>
      <Button aria-haspopup="menu" onClick={({ currentTarget }) => setAnchor(currentTarget)}>
        {words.columns}
      </Button>
      <Menu anchorEl={anchor} open={anchor !== null} onClose={() => setAnchor(null)}>
        {columns.map(([key, name]) => (
          <MenuItem
            key={key}
            dense
            role="menuitemcheckbox"
            aria-checked={!hidden.includes(key)}
            onClick={() => toggle(key)}
          >
            <ListItemIcon>
              {hidden.includes(key) ? <CheckBoxOutlineBlankIcon /> : <CheckBoxIcon />}
            </ListItemIcon>
            {name}
          </MenuItem>
        ))}
      </Menu>
    </>
  )
}
