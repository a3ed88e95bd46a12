import { type RefObject, useState } from 'react'

/** Pixels of each row. */
export const rowHeight = 62

/** Rows above and below the visible ones. */
const surplus = 5

/** Chooses the rows of a long table that are drawn: those in view of its box, and the active one, which keeps its focus. */
export function useRowsInView(box: RefObject<HTMLElement | null>, count: number, active: number) {
  const [[first, shown], setView] = useState<readonly [first: number, shown: number]>([0, 20])
  const look = () => {
    const { scrollTop = 0, clientHeight = 0 } = box.current ?? {}
    const [top, visible] = [Math.floor(scrollTop / rowHeight), Math.ceil(clientHeight / rowHeight)]
    if (top !== first || visible !== shown) setView([top, visible])
  }
  /** Scrolls until a row is in view, below the head of the table. */
  const reveal = (row: number) => {
    const element = box.current
    if (!element) return
    const head = element.querySelector('thead')?.clientHeight ?? 0
    const top = row * rowHeight
    const lowest = top + rowHeight + head - element.clientHeight
    element.scrollTop = Math.min(Math.max(element.scrollTop, lowest), top)
    look()
  }
  const last = Math.min(first + shown + surplus, count)
  const rows = Array.from(
    { length: Math.max(last - Math.max(first - surplus, 0), 0) },
    (_, nth) => Math.max(first - surplus, 0) + nth,
  )
  const isOutside = active < count && !rows.includes(active)
  return { rows: isOutside ? [...rows, active].toSorted((a, b) => a - b) : rows, look, reveal }
}
