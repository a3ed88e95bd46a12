import {
  type Column,
  cellValue,
  type Format,
  layouts,
  pictureAddress,
  placesOf,
  plain,
  type Row,
} from './columns.ts'
import type { SourceRecord } from './records.ts'
import { gramsIn, slug } from './values.ts'

const ofVariants = /^(?:option|sku|barcode|grams|price|compareAt|variantImage)/

/** A product of the file with its variants. Without variants, each of its records is one. */
type Family = { readonly products: SourceRecord[]; readonly variants: SourceRecord[] }

/**
 * Turns records of another layout into the importer's rows, which have product columns or variant columns. It takes all records, because a
 * variant may precede its product.
 */
export function translatedRows(
  header: readonly string[],
  records: readonly SourceRecord[],
  format: Format,
): { rows: Row[]; used: ReadonlySet<number> } {
  const { layout: name = 'shopify', currency } = format
  const layout = layouts[name]
  const places = placesOf(header, format)
  const own = (column = '') =>
    header.findIndex((written) => column !== '' && plain(written) === plain(column))
  const keys = (layout.keys ?? []).map(own)
  const [parent, children, kind, pairs] = [
    own(layout.parent),
    own(layout.children),
    own(layout.kind),
    own(layout.pairs),
  ]
  const at = ({ cells }: SourceRecord, place = -1) => cells[place]?.trim() ?? ''
  const placeOf = (record: SourceRecord, column: Column) =>
    places.get(column)?.find((place) => at(record, place) !== '')
  const textOf = (record: SourceRecord, column: Column) => at(record, placeOf(record, column))

  const byKey = new Map<string, SourceRecord>()
  const listed = new Map<string, { readonly product: SourceRecord; readonly options: [string, string][] }>()
  for (const record of records) {
    for (const place of keys) if (at(record, place) !== '') byKey.set(at(record, place), record)
    for (const variant of at(record, children).split('|')) {
      const [[, sku = ''] = [], ...options] = variant
        .split(',')
        .map((pair) => pair.split('=') as [string, string])
      if (sku !== '') listed.set(sku, { product: record, options })
    }
  }

  const families = new Map<unknown, Family>()
  let above: SourceRecord | undefined
  for (const record of records) {
    const key = at(record, parent).replace(/^id:/, '')
    if (at(record, kind) === 'Product') above = record
    const product =
      key === '' ? (listed.get(textOf(record, 'sku'))?.product ?? above) : (byKey.get(key) ?? key)
    const isVariant =
      product !== undefined && product !== record && (kind < 0 || at(record, kind) === 'Variant')
    const title = keys.length > 0 ? null : slug(textOf(record, 'handle') || textOf(record, 'title'))
    const id = product ?? title ?? record
    const family = families.get(id) ?? { products: [], variants: [] }
    families.set(id, family)
    family[isVariant ? 'variants' : 'products'].push(record)
  }

  const handles = new Set<string>()
  const rows = [...families.values()].flatMap(({ products, variants }) => {
    const heads = products.length > 0 ? products : variants
    const sold = products.length > 0 && variants.length > 0 ? variants : heads
    const handle = handleOf(heads[0])
    return [...new Set([...heads, ...sold])].flatMap((record): Row[] => {
      const isHead = heads.includes(record)
      const isWanted = (column: Column) =>
        !ofVariants.test(column)
          ? isHead
          : sold.includes(record) && (sold.length > 1 || !column.startsWith('option'))
      const isOnly = name === 'sheet' && sold.length === 1 && sold.includes(record)
      const dropped = isOnly ? optionOf(record) : undefined
      const row = { ...rowOf(record, isWanted, sold.length > 1), dropped }
      const [picture, ...more] = isHead ? pictures(record) : []
      if (isHead && layout.isOnSale) row.cells.set('published', 'true')
      if (picture !== undefined) row.cells.set('imageSrc', picture)
      row.cells.set('handle', handle)
      const pictureCells = (url: string) =>
        new Map<Column, string>().set('handle', handle).set('imageSrc', url)
      return [row, ...more.map((url) => ({ ...row, cells: pictureCells(url) }))]
    })
  })
  return { rows, used: new Set([...places.values(), keys, parent, children, kind, pairs].flat()) }

  function pictures(record: SourceRecord): string[] {
    const texts = (places.get('imageSrc') ?? []).flatMap((place) => at(record, place).split(/\s*,\s*/))
    return texts.filter((text) => text !== '').map((text) => pictureAddress(text, format))
  }

  /** The handle, else the title; with a key if another product has it. */
  function handleOf(record = records[0]): string {
    if (!record) return ''
    const key = slug(keys.map((place) => at(record, place)).find(Boolean) ?? '') ?? `${record.line}`
    const handle = slug(textOf(record, 'handle') || textOf(record, 'title')) ?? key
    const unique = handles.has(handle) ? `${handle}-${key}` : handle
    handles.add(unique)
    return unique
  }

  function optionOf(record: SourceRecord): Row['dropped'] {
    const columns = ['option1Value', 'option2Value', 'option3Value'] as const
    const place = columns.map((column) => placeOf(record, column)).find((found) => found !== undefined)
    return place === undefined ? undefined : { column: header[place] ?? '', value: at(record, place) }
  }

  function rowOf(record: SourceRecord, isWanted: (column: Column) => boolean, hasOptions: boolean) {
    const cells = new Map<Column, string>()
    const nameOf = new Map<Column, string>()
    for (const [column, all] of places) {
      if (!isWanted(column)) continue
      const place = placeOf(record, column) ?? all[0] ?? -1
      const list = () => all.map((each) => at(record, each)).join(',')
      const value = column === 'tags' ? list() : cellValue(column, at(record, place), format)
      nameOf.set(column, header[place] ?? '')
      cells.set(column, layout.values?.[column]?.[value.toLowerCase()] ?? value)
      const title = column.replace('Value', 'Name') as Column
      if (!places.has(title)) cells.set(title, header[place] ?? '')
    }
    // A picture in a record of a variant is that of the variant.
    const [picture] = isWanted('variantImage') && !isWanted('imageSrc') ? pictures(record) : []
    if (picture !== undefined) cells.set('variantImage', picture)
    for (const column of ['price', 'compareAt'] as const) {
      const [, amount = '', code] = /^([\d.,]+)\s*([A-Z]{3})$/.exec(cells.get(column) ?? '') ?? []
      if (code !== undefined && code === currency) cells.set(column, amount)
    }
    if (cells.get('compareAt') === cells.get('price')) cells.delete('compareAt')
    const [grams, unit] = gramsOf(cells.get('grams') ?? '', nameOf.get('grams') ?? '')
    if (!Number.isNaN(grams)) cells.set('grams', `${grams}`).set('weightUnit', unit)
    const text = at(record, pairs).matchAll(/Name=([^|]+)\|Value=([^|[]+)/g)
    const named = [...text].map(([, option = '', value = '']) => [option, value] as const)
    const options = [...named, ...(listed.get(cells.get('sku') ?? '')?.options ?? [])]
    for (const [place, [option, value]] of options.slice(0, hasOptions ? 3 : 0).entries()) {
      cells.set(`option${place + 1}Name` as Column, option).set(`option${place + 1}Value` as Column, value)
    }
    return { line: record.line, fault: record.fault, source: record, cells, nameOf }
  }

  /** Grams, and the unit, of `2 kg`, or of `2` in a column `Weight (kg)`. */
  function gramsOf(text: string, column: string): [number, string] {
    const [, number, own] = /^(\d*\.?\d+)\s*([a-z]*)$/i.exec(text) ?? []
    const unit = (own || /\((\w+)\)/.exec(column)?.[1] || layout.weightUnit || 'g')
      .toLowerCase()
      .replace('lbs', 'lb')
    return [Number(number) * (gramsIn[unit] ?? Number.NaN), unit]
  }
}
