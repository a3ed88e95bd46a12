import {
  type Column,
  cell,
  compareAmounts,
  contentOf,
  type Row,
  type RowGroup,
  slug,
  tidyAmount,
  weightFromGrams,
} from './csv.ts'

/** A product as a file describes it. Undefined: the file has no such column; null or empty: its cell is blank. */
export type ImportedProduct = {
  /** Line of the product's first row. */
  line: number
  handle: string
  title?: string
  description?: string | null
  vendor?: string | null
  productType?: string | null
  tags?: string[]
  media?: ImportedMedia[]
  seo?: { title: string | null; description: string | null } & Seo
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

type ImportedMedia = { url: string; alt: string | null; type: 'IMAGE' }

/** A remark on one line of the file. */
export type Remark = { line: number; handle: string; message: string }

/** The name of a variant for people: `Red / L`. */
export function variantName(variant: ImportedVariant): string {
  return variant.optionValues.map(({ value }) => value).join(' / ')
}

/** The product of a group of rows, or the reasons against it, and the values that are imported differently. */
export type Reading = { product: ImportedProduct | null; refusals: Remark[]; notes: Remark[] }

/** Reads the rows of one handle as a product, leaving every rule that the service itself enforces to the service. */
export function readProduct({ handle: written, rows }: RowGroup): Reading {
  const line = rows[0]!.line
  const handle = slug(written)
  if (handle === null) {
    const message =
      written === ''
        ? 'The row has no handle.'
        : `The handle "${written}" holds no letter or digit of a–z, 0–9.`
    return { product: null, refusals: [{ line, handle: written, message }], notes: [] }
  }
  const notes: Remark[] = []
  if (handle !== written) {
    notes.push({ line, handle, message: `The handle "${written}" was written as "${handle}".` })
  }

  const media = readMedia(rows)
  const variants = readVariants(rows, handle, media ?? [])
  notes.push(...variants.notes)
  if (variants.refusals.length > 0) return { product: null, refusals: variants.refusals, notes }

  const status = shared(rows, 'status')?.toLowerCase()
  if (status === 'archived') {
    notes.push({ line, handle, message: 'The product is archived in Shopify; it was imported as a draft.' })
  }
  const title = shared(rows, 'title')
  const product: ImportedProduct = {
    line,
    handle,
    ...(title && { title }),
    ...given('description', blankAsNull(shared(rows, 'description'))),
    ...given('vendor', blankAsNull(shared(rows, 'vendor'))),
    ...given('productType', blankAsNull(shared(rows, 'productType'))),
    ...given('tags', readTags(shared(rows, 'tags'))),
    ...given('media', media),
    ...given('seo', readSeo(rows)),
    ...given('published', readPublished(shared(rows, 'published'), status)),
    options: variants.options,
    variants: variants.variants,
  }
  return { product, refusals: [], notes }
}

/** The first cell of the product's rows that is not blank: exports fill product columns on the first row only. */
function shared(rows: readonly Row[], column: Column): string | undefined {
  const values = rows.map((row) => cell(row, column))
  return values.find((value) => value !== undefined && value !== '') ?? values[0]
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

/** Undefined when the file does not say; what Shopify calls a draft or archived is never on sale. */
function readPublished(published: string | undefined, status: string | undefined): boolean | undefined {
  if (status === 'draft' || status === 'archived') return false
  if (!published) return status === 'active' && published === undefined ? true : undefined
  return published.toLowerCase() === 'true'
}

/** The product's images by `Image Position`, then by line; each address once. */
function readMedia(rows: readonly Row[]): ImportedMedia[] | undefined {
  if (cell(rows[0]!, 'imageSrc') === undefined) return undefined
  const images = rows.flatMap((row, place) => {
    const url = cell(row, 'imageSrc')
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

function blankAsNull(text: string | undefined): string | null | undefined {
  return text === '' ? null : text
}

/** A member only when there is a value: an absent column must stay absent, not become `undefined`. */
function given<Name extends string, Value>(name: Name, value: Value | undefined): { [N in Name]?: Value } {
  return value === undefined ? {} : ({ [name]: value } as { [N in Name]?: Value })
}

type Variants = {
  options: ImportedProduct['options']
  variants: ImportedVariant[]
  refusals: Remark[]
  notes: Remark[]
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
function readVariants(rows: readonly Row[], handle: string, media: readonly ImportedMedia[]): Variants {
  const refusals: Remark[] = []
  const notes: Remark[] = []
  const variantRows = rows.filter((row) => variantColumns.some((column) => cell(row, column)))
  const optionNames = optionColumns.map(([name]) => firstFilled(rows, name))
  const bare = isBare(variantRows, optionNames)
  const altByUrl = new Map(media.map(({ url, alt }) => [url, alt]))
  const lineByCombination = new Map<string, number>()

  const variants = variantRows.map((row): ImportedVariant => {
    const say = (list: Remark[], message: string) => list.push({ line: row.line, handle, message })
    const optionValues = bare
      ? []
      : optionColumns.flatMap(([, column], place) => {
          const [option, value] = [optionNames[place], cell(row, column)]
          if (!value) return []
          if (!option) say(refusals, `Option${place + 1} Value is "${value}", but no row names the option.`)
          return [{ option: option ?? '', value }]
        })

    const combination = JSON.stringify(optionValues)
    const earlier = lineByCombination.get(combination)
    if (earlier !== undefined) say(refusals, `The row has the same option values as line ${earlier}.`)
    else lineByCombination.set(combination, row.line)

    const grams = cell(row, 'grams')
    const weight = grams === undefined ? undefined : weightFromGrams(grams, cell(row, 'weightUnit') ?? 'g')
    if (grams && weight === undefined)
      say(notes, `The weight "${grams}" is no number of grams; it was left out.`)
    const content = cell(row, 'measure')
    const unit = cell(row, 'measureUnit') ?? ''
    const measure = content === undefined ? undefined : contentOf(content, unit)
    if (content && measure === undefined)
      say(notes, `The measure "${content} ${unit}" has no metric unit or is no number; it was left out.`)
    const image = cell(row, 'variantImage')
    const price = cell(row, 'price')
    return {
      line: row.line,
      optionValues,
      ...spread('sku', row),
      ...spread('barcode', row),
      ...given('weight', weight),
      ...given('measure', measure),
      ...(image !== undefined && {
        media: image ? [{ url: image, alt: altByUrl.get(image) ?? null, type: 'IMAGE' as const }] : [],
      }),
      price: price ? tidyAmount(price) : null,
      compareAt: compareAt(price, cell(row, 'compareAt'), (message) => say(notes, message)),
    }
  })
  return { options: bare ? [] : optionsOf(variants, optionNames), variants, refusals, notes }
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

/** A compare-at price that is not above the price is refused by the service, and means "no reduction" in Shopify. */
function compareAt(price: string | undefined, was: string | undefined, note: (message: string) => void) {
  if (!price || !was) return null
  const order = compareAmounts(was, price)
  if (order === null || order > 0) return tidyAmount(was)
  if (Number(was) !== 0) note(`The compare-at price ${was} is not above the price ${price}; it was left out.`)
  return null
}

function firstFilled(rows: readonly Row[], column: Column): string | undefined {
  return rows.map((row) => cell(row, column)).find((value) => value) || undefined
}

function spread<Name extends 'sku' | 'barcode'>(name: Name, row: Row): { [N in Name]?: string | null } {
  const value = cell(row, name)
  return value === undefined ? {} : ({ [name]: value || null } as { [N in Name]?: string | null })
}

type Quantity = { value: number | string; unit: string }
export type Media = { url: string; alt?: string | null; type?: string }
type Seo = { title?: string | null; description?: string | null }

type OptionValueDocument = { '@id': string; title: string | null; fallbacks?: Fallbacks }

export type OptionDocument = {
  '@id': string
  title: string | null
  values: OptionValueDocument[]
  fallbacks?: Fallbacks
}

export type VariantDocument = {
  '@id': string
  id: string
  sku?: string | null
  barcode?: string | null
  weight?: Quantity | null
  measure?: Quantity | null
  media?: Media[]
  /** `option` is the IRI of the option that the value belongs to. */
  optionValues: { '@id': string; option: string; title: string | null }[]
}

export type ProductDocument = {
  '@id': string
  id: string
  externalId?: string | null
  handle: string
  title: string | null
  description?: string | null
  status: string
  channels: string[]
  vendor?: string | null
  productType?: string | null
  tags?: string[]
  media?: Media[]
  seo?: Seo | null
  options: OptionDocument[]
  variants: VariantDocument[]
  variantsTotal?: number
  fallbacks?: Fallbacks
}

/** A product in a list, where very many option values are left out. */
export type ListedProduct = Omit<ProductDocument, 'options'> & {
  options: (Omit<OptionDocument, 'values'> & { values?: OptionValueDocument[] })[]
}

export type SaleOfferDocument = {
  '@id': string
  /** IRI of the variant, or an object that carries it. */
  variant: string | { '@id': string }
  externalId?: string | null
  channel: string | null
  countries: string[]
  currency: string
  amount: string
  compareAtAmount?: string | null
  validFrom?: string | null
  validUntil?: string | null
  priority: number
  minQuantity: number
  status: string
}

/** Fields answered in another language than the one asked for, with that language. */
type Fallbacks = Record<string, string>

export function iriOf(reference: string | { '@id': string }): string {
  return typeof reference === 'string' ? reference : reference['@id']
}
