/** Cells from the clipboard of a spreadsheet: how many there are, and which rows their SKUs name. Pure. */
import { decimalOf } from '../core/decimal-text.ts'
import { bare } from '../prices/grid.ts'

/** Cells that one paste may have. */
export const mostCells = 20_000

/** The number of cells of a text, without parsing it. */
export function cellCount(text: string): number {
  let count = 1
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    if (unit === 9 || unit === 10) count += 1
  }
  return count
}

export type BySku = {
  /** The texts for each row, without the SKU. */
  readonly lines: readonly { readonly row: number; readonly texts: readonly string[] }[]
  readonly unknown: readonly string[]
  /** SKUs of several lines. None of these lines is used. */
  readonly duplicate: readonly string[]
}

/**
 * The lines of a block whose first column has SKUs, by the rows of a grid. Null if its first column has values for the grid: no text
 * is a SKU of a row, and all are amounts or the column takes texts.
 */
export function bySku(
  block: readonly (readonly string[])[],
  rows: ReadonlyMap<string, number>,
  { isPrice, locale }: { readonly isPrice: boolean; readonly locale: string },
): BySku | null {
  if (block.some((line) => line.length < 2)) return null
  const isNumber = (text = '') => decimalOf(bare(text), locale) !== null
  const [head, ...rest] = block
  const hasHeading = head !== undefined && isPrice && !rows.has(head[0] ?? '') && !isNumber(head[1])
  const lines = (hasHeading ? rest : block).filter(([sku]) => sku !== '')
  const skus = lines.map(([sku = '']) => sku)
  if (!skus.some((sku) => rows.has(sku)) && !(isPrice && skus.some((sku) => !isNumber(sku)))) return null
  const counts = Map.groupBy(skus, (sku) => sku)
  const isDuplicate = (sku: string) => (counts.get(sku)?.length ?? 0) > 1
  return {
    lines: lines.flatMap(([sku = '', ...texts]) => {
      const row = rows.get(sku)
      return row === undefined || isDuplicate(sku) ? [] : [{ row, texts }]
    }),
    unknown: [...counts.keys()].filter((sku) => !rows.has(sku)),
    duplicate: [...counts.keys()].filter((sku) => rows.has(sku) && isDuplicate(sku)),
  }
}
