/** Positions of rows among their siblings. */

/** The position among siblings, of which `end` is the last. Absent, null, negative and too large positions mean the end. */
export function positionIn(requested: unknown, end: number): number {
  return typeof requested !== 'number' || requested < 0 ? end : Math.min(requested, end)
}

/** The final positions of new rows that are inserted one after another. The siblings keep their order around them. */
export function finalPositions(
  rows: readonly { readonly id: string; readonly position: number | null | undefined }[],
  siblings: number,
): { readonly id: string; readonly position: number }[] {
  const order: (string | null)[] = Array.from({ length: siblings }, () => null)
  for (const { id, position } of rows) order.splice(positionIn(position, order.length), 0, id)
  return order.flatMap((id, position) => (id === null ? [] : [{ id, position }]))
}
