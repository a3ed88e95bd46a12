/** Products as rows of the file that `npm run import` reads: a row for each variant, and for each picture beyond them. */

type Media = { readonly url: string; readonly alt?: string | null; readonly type?: string }

type Quantity = { readonly value: number | string; readonly unit: string }

export type ExportedVariant = {
  readonly '@id': string
  readonly sku: string | null
  readonly barcode: string | null
  readonly weight: Quantity | null
  readonly measure: Quantity | null
  readonly media: readonly Media[]
  readonly optionValues: readonly { readonly option: string; readonly title: string | null }[]
}

export type ExportedProduct = {
  readonly '@id': string
  readonly handle: string
  readonly title: string | null
  readonly description: string | null
  readonly status: string
  readonly channels: readonly string[]
  readonly vendor: string | null
  readonly productType: string | null
  readonly tags: readonly string[]
  readonly media: readonly Media[]
  readonly seo: { readonly title?: string | null; readonly description?: string | null } | null
  readonly options: readonly { readonly '@id': string; readonly title: string | null }[]
  readonly variants: readonly ExportedVariant[]
  readonly variantsTotal: number
}

export type ExportedPrice = { readonly amount: string; readonly compareAtAmount: string | null }

const columns = [
  'Handle',
  'Title',
  'Body (HTML)',
  'Vendor',
  'Type',
  'Tags',
  'Published',
  'Option1 Name',
  'Option1 Value',
  'Option2 Name',
  'Option2 Value',
  'Option3 Name',
  'Option3 Value',
  'Variant SKU',
  'Variant Grams',
  'Variant Weight Unit',
  'Variant Price',
  'Variant Compare At Price',
  'Unit Price Total Measure',
  'Unit Price Total Measure Unit',
  'Variant Barcode',
  'Image Src',
  'Image Position',
  'Image Alt Text',
  'Variant Image',
  'SEO Title',
  'SEO Description',
  'Status',
] as const

type Cells = { readonly [Name in (typeof columns)[number]]?: string | number | null | undefined }

export const csvHeader = lineOf(columns)

/** The lines of one product. `priceOf` gives what a variant costs where the file's prices hold. */
export function csvOf(
  product: ExportedProduct,
  channel: string,
  priceOf: (variant: string) => ExportedPrice | undefined,
): string {
  const pictures = product.media.filter(isPicture)
  const rows = Math.max(1, product.variants.length, pictures.length)
  return Array.from({ length: rows }, (_, at) => {
    const [variant, picture] = [product.variants[at], pictures[at]]
    const cells: Cells = {
      Handle: product.handle,
      ...(at === 0 && productCells(product, channel)),
      ...(variant && variantCells(product, variant, priceOf(variant['@id']))),
      ...(picture && { 'Image Src': picture.url, 'Image Position': at + 1, 'Image Alt Text': picture.alt }),
    }
    return lineOf(columns.map((name) => asText(name, cells[name])))
  }).join('')
}

export type LeftOut = 'furtherOptions' | 'otherMedia' | 'furtherPictures'

/** Parts of the product that the file cannot contain. */
export function leftOut(product: ExportedProduct): LeftOut[] {
  return [
    ...(product.options.length > 3 ? ['furtherOptions' as const] : []),
    ...(product.media.every(isPicture) ? [] : ['otherMedia' as const]),
    ...(product.variants.every(({ media }) => media.length <= 1) ? [] : ['furtherPictures' as const]),
  ]
}

function productCells(product: ExportedProduct, channel: string): Cells {
  return {
    Title: product.title,
    'Body (HTML)': product.description,
    Vendor: product.vendor,
    Type: product.productType,
    Tags: product.tags.join(', '),
    Published: published(product, channel),
    'SEO Title': product.seo?.title,
    'SEO Description': product.seo?.description,
    Status: product.status.toLowerCase(),
  }
}

/** One that is on sale nowhere although it is active stays so: left blank, an import does not touch it. */
function published({ status, channels }: ExportedProduct, channel: string): string {
  if (status === 'ACTIVE' && channels.length === 0) return ''
  return status === 'ACTIVE' && channels.includes(channel) ? 'TRUE' : 'FALSE'
}

function variantCells(
  { options }: ExportedProduct,
  { sku, barcode, weight, measure, media, optionValues }: ExportedVariant,
  price: ExportedPrice | undefined,
): Cells {
  // A product without options is written as one option with one value.
  const chosen =
    options.length === 0
      ? [{ title: 'Title', value: 'Default Title' }]
      : options.map((option) => ({
          title: option.title,
          value: optionValues.find((each) => each.option === option['@id'])?.title,
        }))
  return {
    'Option1 Name': chosen[0]?.title,
    'Option1 Value': chosen[0]?.value,
    'Option2 Name': chosen[1]?.title,
    'Option2 Value': chosen[1]?.value,
    'Option3 Name': chosen[2]?.title,
    'Option3 Value': chosen[2]?.value,
    'Variant SKU': sku,
    'Variant Barcode': barcode,
    'Variant Grams': weight && grams(weight),
    'Variant Weight Unit': weight?.unit,
    'Variant Price': price?.amount,
    'Variant Compare At Price': price?.compareAtAmount,
    'Unit Price Total Measure': measure && String(measure.value),
    'Unit Price Total Measure Unit': measure?.unit === 'piece' ? 'item' : measure?.unit,
    'Variant Image': media[0]?.url,
  }
}

const gramsIn: Readonly<Record<string, number>> = { g: 1, kg: 1000, oz: 28.349523125, lb: 453.59237 }

function grams({ value, unit }: Quantity): string {
  return String(Number((Number(value) * (gramsIn[unit] ?? 1)).toFixed(3)))
}

/** Texts that a spreadsheet computes instead of showing them. */
const formula = /^'*[=+\-@\t\r\n]/

/** Columns of which the importer takes the first apostrophe away whatever follows: others put it before numbers. */
const isNumeric = (column: string) => column === 'Variant SKU' || column === 'Variant Barcode'

/**
 * A cell that a spreadsheet shows as text: an apostrophe is put before what it would compute. The importer takes exactly this
 * apostrophe away, so a value that begins with apostrophes itself gets one more.
 */
function asText(column: string, cell: string | number | null | undefined): string {
  const text = cell == null ? '' : String(cell)
  return formula.test(text) || (isNumeric(column) && text.startsWith("'")) ? `'${text}` : text
}

const isPicture = ({ type }: Media) => type === undefined || type === 'IMAGE'

/** RFC 4180: a value with a comma, a quote, a line end or an outer blank is in quotes. */
function lineOf(cells: readonly string[]): string {
  const written = cells.map((text) =>
    /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text,
  )
  return `${written.join(',')}\r\n`
}
