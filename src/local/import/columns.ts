/** One CSV record as header and cells, with the line of the file on which it begins (the header is line 1). */
export type Row = { line: number; cells: ReadonlyMap<Column, string> }

/**
 * The columns that are imported, each under every name that Shopify has given it. Names are compared without case,
 * blanks and punctuation, so `Variant Compare At Price`, `Compare At Price` and `Compare-at price` need two entries.
 */
const names = {
  handle: ['Handle', 'URL handle'],
  title: ['Title'],
  description: ['Body (HTML)', 'Body HTML', 'Description'],
  vendor: ['Vendor'],
  productType: ['Type', 'Product Type'],
  tags: ['Tags'],
  published: ['Published', 'Published on online store'],
  status: ['Status'],
  option1Name: ['Option1 Name'],
  option1Value: ['Option1 Value'],
  option2Name: ['Option2 Name'],
  option2Value: ['Option2 Value'],
  option3Name: ['Option3 Name'],
  option3Value: ['Option3 Value'],
  sku: ['Variant SKU', 'SKU'],
  barcode: ['Variant Barcode', 'Barcode'],
  grams: ['Variant Grams', 'Grams', 'Weight value (grams)'],
  weightUnit: ['Variant Weight Unit', 'Weight unit for display'],
  price: ['Variant Price', 'Price'],
  compareAt: ['Variant Compare At Price', 'Compare At Price'],
  imageSrc: ['Image Src', 'Product image URL'],
  imagePosition: ['Image Position'],
  imageAlt: ['Image Alt Text'],
  variantImage: ['Variant Image', 'Variant image URL'],
  seoTitle: ['SEO Title'],
  seoDescription: ['SEO Description'],
} as const

export type Column = keyof typeof names

const columnByName = new Map(
  Object.entries(names).flatMap(([column, spellings]) =>
    spellings.map((spelling) => [plain(spelling), column as Column] as const),
  ),
)

/** The column at each place of the header. Null for a column that is not imported or is repeated. */
export function readHeader(header: readonly string[]): (Column | null)[] {
  const seen = new Set<Column>()
  return header.map((name) => {
    const column = columnByName.get(plain(name))
    if (!column || seen.has(column)) return null
    seen.add(column)
    return column
  })
}

/** Columns in which other exports put an apostrophe before each number, so that spreadsheets keep its zeros. */
const isNumeric = (column: Column) => column === 'sku' || column === 'barcode' || column === 'grams'

/**
 * The value of a cell, trimmed. An apostrophe before what a spreadsheet would compute belongs to the file: /admin writes it so that
 * the spreadsheet shows the value as text.
 */
export function cellValue(column: Column, written: string): string {
  const text = written.trim()
  return (isNumeric(column) ? /^'/ : /^'+[=+\-@\t\n]/).test(text) ? text.slice(1) : text
}

/** The trimmed cell; '' when it is blank, undefined when the file has no such column. */
export function cell(row: Row, column: Column): string | undefined {
  return row.cells.get(column)
}

function plain(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '')
}
