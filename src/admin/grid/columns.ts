/** The columns of a grid: prices of places, and properties of products and variants; and the keys of their cells. */
import { messages } from '../core/language.ts'
import { type Column, cellKey, columnKey } from '../prices/grid.ts'
import { type GridRow, iriOf, type PropertyName, properties, propertyKey } from './properties.ts'

export type GridColumn = Column | { readonly property: PropertyName }

export const propertyColumns = (Object.keys(properties) as PropertyName[]).map((property) => ({ property }))

/** The keys of columns that are not shown until the user chooses them. */
export const hiddenAtFirst: readonly string[] = propertyColumns
  .map(({ property }) => property)
  .filter((name) => name !== 'sku')

export function isPrice(column: GridColumn): column is Column {
  return 'currency' in column
}

export function keyOfColumn(column: GridColumn): string {
  return isPrice(column) ? columnKey(column) : column.property
}

export function keyIn(row: GridRow, column: GridColumn): string {
  return isPrice(column) ? cellKey(iriOf(row.variant), column) : propertyKey(row, column.property)
}

export function uniqueColumns(columns: readonly Column[]): Column[] {
  return [...new Map(columns.map((column) => [columnKey(column), column])).values()]
}

/** The name of a column in the language of the interface. */
export function columnName(column: GridColumn): string {
  if (!isPrice(column)) return propertyName(column.property)
  const { channel, countries, currency } = column
  const words = messages('grid')
  return [channel ?? words.everyChannel, countries.join(' ') || words.everyCountry, currency].join(', ')
}

export function propertyName(property: PropertyName): string {
  const { products, variants } = messages('labels').resources
  const labels: Readonly<Record<string, string>> = { ...variants.fields, ...products.fields }
  return labels[property] ?? property
}

/** The places of all cells by their keys: of prices, and of properties. */
export function placesOf(rows: readonly GridRow[], columns: readonly GridColumn[]) {
  const prices = new Map<string, { row: GridRow; variant: string; column: Column }>()
  const texts = new Map<string, { row: GridRow; property: PropertyName }>()
  for (const row of rows) {
    for (const column of columns) {
      const key = keyIn(row, column)
      if (isPrice(column)) prices.set(key, { row, variant: iriOf(row.variant), column })
      else texts.set(key, { row, property: column.property })
    }
  }
  return [prices, texts] as const
}

/** The indexes of rows by their SKUs. */
export function rowsBySku(rows: readonly GridRow[]): ReadonlyMap<string, number> {
  return new Map(
    rows.flatMap(({ variant: { sku } }, at) => (typeof sku === 'string' ? [[sku, at] as const] : [])),
  )
}
