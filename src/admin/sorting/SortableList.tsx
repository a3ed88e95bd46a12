import { DragDropContext, Draggable, Droppable } from '@hello-pangea/dnd'
import DragIndicatorIcon from '@mui/icons-material/DragIndicator'
import { Box } from '@mui/material'
import { createContext, type ReactNode, useContext, useEffect, useId, useRef } from 'react'
import { useWords } from '../core/i18n.ts'

/** Things in an order that is changed by dragging, or by the keyboard on their handles. */
export function SortableList<Item>({
  items,
  label,
  keyOf,
  nameOf,
  onMove,
  children,
}: {
  items: readonly Item[]
  /** The accessible name of the list. */
  label: string
  keyOf: (item: Item) => string
  /** The accessible name of an item's handle. */
  nameOf: (item: Item, index: number) => string
  onMove: (from: number, to: number) => void
  children: (item: Item, index: number, handle: ReactNode) => ReactNode
}) {
  const words = useWords('sorting')
  const id = useId()
  const around = useContext(Lists)
  const own = useRef<Registry>(new Map())
  const lists = around ?? own.current
  useEffect(() => {
    lists.set(id, { onMove, of: items.length })
    return () => {
      lists.delete(id)
    }
  })
  const list = (
    <Droppable droppableId={id} type={id}>
      {({ innerRef, droppableProps, placeholder }) => (
        <Box
          ref={innerRef}
          {...droppableProps}
          component="ul"
          aria-label={label}
          sx={{ listStyle: 'none', p: 0, m: 0 }}
        >
          {items.map((item, index) => (
            <Draggable key={keyOf(item)} draggableId={keyOf(item)} index={index}>
              {({ innerRef: ref, draggableProps, dragHandleProps }, { isDragging }) => (
                <Box
                  ref={ref}
                  {...draggableProps}
                  component="li"
                  sx={{
                    borderRadius: 2,
                    mb: 1,
                    bgcolor: 'background.paper',
                    ...(isDragging && { boxShadow: 6 }),
                  }}
                >
                  {children(
                    item,
                    index,
                    <Box
                      component="span"
                      {...dragHandleProps}
                      aria-label={words.move(nameOf(item, index))}
                      sx={{
                        display: 'inline-flex',
                        p: 0.75,
                        borderRadius: 1,
                        cursor: 'grab',
                        touchAction: 'none',
                      }}
                    >
                      <DragIndicatorIcon fontSize="small" />
                    </Box>,
                  )}
                </Box>
              )}
            </Draggable>
          ))}
          {placeholder}
        </Box>
      )}
    </Droppable>
  )
  if (around) return list
  const of = (source: { readonly droppableId: string }) => lists.get(source.droppableId)?.of ?? 0
  return (
    <Lists value={lists}>
      <DragDropContext
        dragHandleUsageInstructions={words.howTo}
        onDragStart={({ source }, { announce }) => announce(words.lifted(source.index + 1, of(source)))}
        onDragUpdate={({ source, destination }, { announce }) => {
          if (destination) announce(words.moved(destination.index + 1, of(source)))
        }}
        onDragEnd={({ source, destination, reason }, { announce }) => {
          if (!destination || reason === 'CANCEL') return announce(words.cancelled)
          announce(words.dropped(destination.index + 1, of(source)))
          if (destination.index !== source.index)
            lists.get(source.droppableId)?.onMove(source.index, destination.index)
        }}
      >
        {list}
      </DragDropContext>
    </Lists>
  )
}

/** The lists of one page part, by id: an item of a list may contain another list, and the library takes one context for both. */
type Registry = Map<string, { readonly onMove: (from: number, to: number) => void; readonly of: number }>
const Lists = createContext<Registry | null>(null)
