import { closest, distance } from 'fastest-levenshtein'
import { isGtin } from '../../core/gtin.ts'
import { isWebAddress } from '../../core/web-address.ts'
import { type Column, cell, type Row } from './columns.ts'
import type { RowGroup } from './csv.ts'
import type { Fault } from './records.ts'
import {
  compareAmounts,
  contentOf,
  contentUnitNames,
  plainDecimal,
  slug,
  tidyAmount,
  weightFromGrams,
} from './values.ts'

/** A product as a file describes it. Undefined: the file has no such column; null or empty: its cell is blank. */
export type ImportedProduct = {
  /** Line of the product's first row. */
  line: number
  rows: readonly Row[]
  /** Whether a part of it is rejected or missing. It is then not put on sale. */
  isPartial: boolean
  handle: string
  title?: string
  description?: string | null
  vendor?: string | null
  productType?: string | null
  tags?: string[]
  media?: ImportedMedia[]
  /** Some pictures are rejected, so those of an existing product remain. */
  keepsMedia?: boolean
  seo?: { title: string | null; description: string | null }
  /** Whether it is to be on sale in the channel. */
  published?: boolean
  options: { title: string; values: string[] }[]
  variants: ImportedVariant[]
}

export type ImportedVariant = {
  line: number
  optionValues: { option: string; value: string }[]
  sku?: string | null
  barcode?: string | null
  weight?: { value: number; unit: string } | null
  measure?: { value: number; unit: string } | null
  media?: ImportedMedia[]
  /** Null when the row sets no price. */
  price: string | null
  /** Always more than the price, or null. */
  compareAt: string | null
}

/** How many prices a product has in the file. */
export const pricesOf = ({ variants }: ImportedProduct) =>
  variants.filter(({ price }) => price !== null).length

type ImportedMedia = { url: string; alt: string | null; type: 'IMAGE' }

/** A remark on one line of the file. */
export type Remark = Fault & { line: number; handle: string }

/** The product of a group of rows, its rejected parts, and the values that are imported differently. */
export type Reading = { product: ImportedProduct | null; refusals: Remark[]; notes: Remark[] }

/** Collects the remarks on one product. */
class Remarks {
  readonly refusals: Remark[] = []
  readonly notes: Remark[] = []
  isPartial = false
  readonly #handle: string

  constructor(handle: string) {
    this.#handle = handle
  }

  /** Rejects a row, or the value of one column. */
  refuse(row: Row, message: string, column?: Column): void {
    this.isPartial = true
    this.refusals.push(remarkOn(row, this.#handle, message, column))
  }

  note(row: Row, message: string, column?: Column): void {
    this.notes.push(remarkOn(row, this.#handle, message, column))
  }
}

/** A remark on a row. `column` is the one that has the value. */
export function remarkOn(row: Row, handle: string, message: string, column?: Column): Remark {
  const name = column && (row.nameOf.get(column) ?? column)
  return {
    line: row.line,
    handle,
    ...(column && { column: name ?? '', value: cell(row, column) ?? '' }),
    message,
  }
}

/**
 * Reads the rows of one handle as a product, leaving the rules that need other rows to the service. Rejected values are left out.
 */
export function readProduct({ handle: written, rows: all }: RowGroup): Reading {
  const [first] = all
  if (!first) return { product: null, refusals: [], notes: [] }
  const handle = slug(written)
  const remarks = new Remarks(handle ?? written)
  const rows = all.filter(({ fault }) => fault === null)
  remarks.isPartial = rows.length < all.length
  for (const { line, fault } of all)
    if (fault) remarks.refusals.push({ line, handle: handle ?? written, ...fault })
  if (handle === null && rows.length > 0) {
    const message =
      written === '' ? 'The row has no handle.' : 'The handle has no letter or digit of a–z, 0–9.'
    remarks.refuse(first, message, 'handle')
  }
  if (handle === null || rows.length === 0) return { product: null, ...remarks }
  if (handle !== written) remarks.note(first, `The handle is written as "${handle}".`, 'handle')

  for (const { line, dropped } of rows)
    if (dropped) {
      const message = 'A product with one row gets no option.'
      remarks.notes.push({ line, handle, ...dropped, message })
    }

  const media = readMedia(rows, remarks)
  const keepsMedia = remarks.refusals.length > 0
  const { options, variants } = readVariants(rows, media ?? [], remarks)
  const title = shared(rows, 'title')
  const product: ImportedProduct = {
    line: first.line,
    rows: all,
    isPartial: false,
    handle,
    // Rows without a title are further variants: their other cells of the product are blank, too.
    ...(title !== '' && {
      ...given('title', title),
      ...given('description', blankAsNull(shared(rows, 'description'))),
      ...given('vendor', blankAsNull(shared(rows, 'vendor'))),
      ...given('productType', blankAsNull(shared(rows, 'productType'))),
      ...given('tags', readTags(shared(rows, 'tags'))),
      ...given('media', media),
      ...(keepsMedia && { keepsMedia }),
      ...given('seo', readSeo(rows)),
      ...given('published', readPublished(rows, remarks)),
    }),
    options,
    variants,
  }
  return { product: { ...product, isPartial: remarks.isPartial }, ...remarks }
}

/** The remark on a product whose handle is that of an earlier one. `firstLines` has the first line of each handle. */
export function repeatedHandle(
  { handle, line }: ImportedProduct,
  firstLines: ReadonlyMap<string, number>,
): Remark | null {
  const earlier = firstLines.get(handle)
  if (earlier === undefined) return null
  const message = `The rows of this handle begin on line ${earlier} and are not together. Move this row there.`
  return { line, handle, message }
}

/** The row with the first cell of a column that is not blank: exports fill product columns on the first row only. */
const rowWith = (rows: readonly Row[], column: Column) => rows.find((row) => cell(row, column)) ?? rows[0]

function shared(rows: readonly Row[], column: Column): string | undefined {
  const row = rowWith(rows, column)
  return row && cell(row, column)
}

function readTags(text: string | undefined): string[] | undefined {
  if (text === undefined) return undefined
  const tags = text.split(',').map((tag) => tag.trim())
  return [...new Set(tags.filter((tag) => tag !== ''))]
}

function readSeo(rows: readonly Row[]): ImportedProduct['seo'] {
  const [title, description] = [shared(rows, 'seoTitle'), shared(rows, 'seoDescription')]
  if (title === undefined && description === undefined) return undefined
  return { title: title || null, description: description || null }
}

const truths = { true: true, yes: true, 1: true, false: false, no: false, 0: false, '-1': false }
const known = { published: Object.keys(truths), status: ['active', 'draft', 'archived', 'unlisted'] }

/** Undefined when the file does not say; products with another status than active are never on sale. */
function readPublished(rows: readonly Row[], remarks: Remarks): boolean | undefined {
  const [published, status] = (['published', 'status'] as const).map((column) => {
    const row = rowWith(rows, column)
    const text = row && cell(row, column)?.toLowerCase()
    const isKnown = !text || known[column].includes(text)
    if (!isKnown) remarks.refuse(row, meant(text, known[column]), column)
    else if (row && column === 'status' && (text === 'archived' || text === 'unlisted'))
      remarks.note(row, 'The product is imported as a draft.', column)
    return isKnown ? text : null
  })
  // Of a rejected value, the meaning is unknown.
  if (published === null || status === null) return undefined
  if (status && status !== 'active') return false
  if (!published) return status === 'active' && published === undefined ? true : undefined
  return new Map(Object.entries(truths)).get(published)
}

function meant(written: string, values: readonly string[]): string {
  const near = closest(written, [...values])
  return distance(written, near) * 2 < written.length
    ? `The value is unknown: "${near}" is probably meant.`
    : `The value is unknown. Known values: ${values.join(', ')}.`
}

/** The product's images by `Image Position`, then by line; each address once. */
function readMedia(rows: readonly Row[], remarks: Remarks): ImportedMedia[] | undefined {
  if (rows.every((row) => cell(row, 'imageSrc') === undefined)) return undefined
  const images = rows.flatMap((row, place) => {
    const url = readUrl(row, 'imageSrc', remarks)
    if (!url) return []
    const position = Number(cell(row, 'imagePosition') || place + 1)
    return [
      { position: Number.isFinite(position) ? position : place + 1, url, alt: cell(row, 'imageAlt') || null },
    ]
  })
  images.sort((a, b) => a.position - b.position)
  const byUrl = new Map<string, ImportedMedia>()
  for (const { url, alt } of images) if (!byUrl.has(url)) byUrl.set(url, { url, alt, type: 'IMAGE' })
  return [...byUrl.values()]
}

/** The address of a picture; undefined without the column, or if it is rejected. */
function readUrl(row: Row, column: 'imageSrc' | 'variantImage', remarks: Remarks): string | undefined {
  const url = cell(row, column)
  if (!url || isWebAddress(url)) return url
  remarks.refuse(
    row,
    'The address of a picture begins with https:// or http://. --picture-base completes paths.',
    column,
  )
  return undefined
}

function blankAsNull(text: string | undefined): string | null | undefined {
  return text === '' ? null : text
}

/** A member only when there is a value: an absent column must stay absent, not become `undefined`. */
function given<Name extends string, Value>(name: Name, value: Value | undefined): { [N in Name]?: Value } {
  return value === undefined ? {} : ({ [name]: value } as { [N in Name]?: Value })
}

const optionColumns = [
  ['option1Name', 'option1Value'],
  ['option2Name', 'option2Value'],
  ['option3Name', 'option3Value'],
] as const

const variantColumns: readonly Column[] = [
  'option1Value',
  'option2Value',
  'option3Value',
  'sku',
  'barcode',
  'grams',
  'price',
]

/** Reads options and variants from a product's rows; a row that only carries an image is no variant. */
function readVariants(
  rows: readonly Row[],
  media: readonly ImportedMedia[],
  remarks: Remarks,
): Pick<ImportedProduct, 'options' | 'variants'> {
  const variantRows = rows.filter((row) => variantColumns.some((column) => cell(row, column)))
  const optionNames = optionColumns.map(([name]) => firstFilled(rows, name))
  const bare = isBare(variantRows, optionNames)
  const altByUrl = new Map(media.map(({ url, alt }) => [url, alt]))
  const lineByCombination = new Map<string, number>()
  const [first] = rows
  if (first && variantRows.length === 0) readPrice(first, remarks)

  const variants = variantRows.flatMap((row): ImportedVariant[] => {
    const optionValues = bare
      ? []
      : optionColumns.flatMap(([, column], place) => {
          const value = cell(row, column)
          return value ? [{ option: optionNames[place] ?? '', value, column }] : []
        })
    const unnamed = optionValues.find(({ option }) => option === '')
    const combination = JSON.stringify(optionValues)
    const earlier = lineByCombination.get(combination)
    if (unnamed) remarks.refuse(row, 'No row has the name of this option.', unnamed.column)
    else if (earlier !== undefined)
      remarks.refuse(row, `The row has the same option values as line ${earlier}.`, 'option1Value')
    if (unnamed || earlier !== undefined) return []
    lineByCombination.set(combination, row.line)

    const image = readUrl(row, 'variantImage', remarks)
    const price = readPrice(row, remarks)
    return [
      {
        line: row.line,
        optionValues: optionValues.map(({ option, value }) => ({ option, value })),
        ...given('sku', readCode(row, 'sku', remarks)),
        ...given('barcode', readCode(row, 'barcode', remarks)),
        ...given('weight', readWeight(row, remarks)),
        ...given('measure', readContent(row, remarks)),
        ...(image !== undefined && {
          media: image ? [{ url: image, alt: altByUrl.get(image) ?? null, type: 'IMAGE' as const }] : [],
        }),
        price,
        compareAt: readCompareAt(row, price, remarks),
      },
    ]
  })
  return { options: bare ? [] : optionsOf(variants, optionNames), variants }
}

/** Shopify writes a product without options as one option `Title` with the value `Default Title`. */
function isBare(rows: readonly Row[], names: readonly (string | undefined)[]): boolean {
  return (
    names.slice(1).every((name) => !name) &&
    rows.every((row) => ['', 'Default Title', undefined].includes(cell(row, 'option1Value'))) &&
    (names[0] === undefined || names[0] === 'Title')
  )
}

/** Options in the order of their columns, values in the order of their first row. */
function optionsOf(variants: readonly ImportedVariant[], names: readonly (string | undefined)[]) {
  return names.flatMap((title) => {
    if (!title) return []
    const used = variants.flatMap(({ optionValues }) => optionValues.filter(({ option }) => option === title))
    return used.length > 0 ? [{ title, values: [...new Set(used.map(({ value }) => value))] }] : []
  })
}

function readPrice(row: Row, remarks: Remarks): string | null {
  const text = cell(row, 'price')
  if (text) return readAmount(row, 'price', remarks)
  if (text === '') {
    remarks.isPartial = true
    remarks.note(row, 'The price is missing. A new product remains a draft.', 'price')
  }
  return null
}

function readAmount(row: Row, column: 'price' | 'compareAt', remarks: Remarks): string | null {
  const text = cell(row, column)
  if (!text) return null
  const amount = tidyAmount(text)
  if (plainDecimal.test(amount)) return amount
  const hint = /^[\d.]+,\d+$/.test(text) ? ' For decimal commas, add --decimal-comma.' : ''
  remarks.refuse(row, `The amount is no number such as 19.90.${hint}`, column)
  return null
}

/** A compare-at price that is not above the price is refused by the service, and means "no reduction" in Shopify. */
function readCompareAt(row: Row, price: string | null, remarks: Remarks): string | null {
  const was = price === null ? null : readAmount(row, 'compareAt', remarks)
  if (was === null || price === null || compareAmounts(was, price) === 1) return was
  if (Number(was) !== 0)
    remarks.note(row, `It is not above the price ${price}, and is left out.`, 'compareAt')
  return null
}

function readWeight(row: Row, remarks: Remarks): ImportedVariant['weight'] {
  const grams = cell(row, 'grams')
  const weight = grams === undefined ? undefined : weightFromGrams(grams, cell(row, 'weightUnit') ?? 'g')
  if (grams && weight === undefined) remarks.refuse(row, 'The weight is no number of grams.', 'grams')
  return weight
}

/** The content of the package; undefined without the column, or if it is rejected. */
function readContent(row: Row, remarks: Remarks): ImportedVariant['measure'] {
  const measure = cell(row, 'measure')
  // A file without a column for the unit has both in one: `100 g`.
  const [, amount = measure, ownUnit = ''] = /^([\d.,]+)\s*([a-z]+\d?)$/i.exec(measure ?? '') ?? []
  const unit = cell(row, 'measureUnit') || ownUnit
  const content = amount === undefined ? undefined : contentOf(amount, unit)
  if (measure && content === undefined) {
    const isUnit = contentUnitNames.includes(unit.toLowerCase())
    const place = cell(row, 'measureUnit') === undefined ? 'measure' : 'measureUnit'
    if (isUnit) remarks.refuse(row, 'The content is no number such as 0.75.', 'measure')
    else remarks.refuse(row, `The unit of the content is one of ${contentUnitNames.join(', ')}.`, place)
  }
  return content
}

/** A SKU or barcode; undefined without the column, or if it is rejected. */
function readCode(row: Row, column: 'sku' | 'barcode', remarks: Remarks): string | null | undefined {
  const text = cell(row, column)
  const fault = text && codeFault(text, column === 'barcode')
  if (!fault) return blankAsNull(text)
  remarks.refuse(row, fault, column)
  return undefined
}

function codeFault(text: string, isBarcode: boolean): string | null {
  if (/^\d[.,]\d+E\+\d+$/i.test(text)) return 'A spreadsheet rounded the number. Enter all of its digits.'
  if (!isBarcode || !/^(?:\d{8}|\d{12,14})$/.test(text) || isGtin(text)) return null
  const digit = [...'0123456789'].find((last) => isGtin(text.slice(0, -1) + last))
  return `The check digit of this GTIN-${text.length} is wrong: it would be ${digit}.`
}

function firstFilled(rows: readonly Row[], column: Column): string | undefined {
  return rows.map((row) => cell(row, column)).find((value) => value) || undefined
}
