import { DragDropContext, Draggable, Droppable } from '@hello-pangea/dnd'
import DragIndicatorIcon from '@mui/icons-material/DragIndicator'
import { Box } from '@mui/material'
import { type ReactNode, useId } from 'react'
import { useWords } from '../core/i18n.ts'
import { sortingWords } from './words.ts'

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
  /** What a screen reader calls the list. */
  label: string
  keyOf: (item: Item) => string
  /** What the handle of an item is called. */
  nameOf: (item: Item, index: number) => string
  onMove: (from: number, to: number) => void
  children: (item: Item, index: number, handle: ReactNode) => ReactNode
}) {
  const words = useWords(sortingWords)
  const id = useId()
  const of = items.length
  return (
    <DragDropContext
      dragHandleUsageInstructions={words.howTo}
      onDragStart={({ source }, { announce }) => announce(words.lifted(source.index + 1, of))}
      onDragUpdate={({ destination }, { announce }) => {
        if (destination) announce(words.moved(destination.index + 1, of))
      }}
      onDragEnd={({ source, destination, reason }, { announce }) => {
        if (!destination || reason === 'CANCEL') return announce(words.cancelled)
        announce(words.dropped(destination.index + 1, of))
        if (destination.index !== source.index) onMove(source.index, destination.index)
      }}
    >
      <Droppable droppableId={id}>
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
    </DragDropContext>
  )
}
