import { compareAmounts, tidyAmount } from './amount.ts'
import { type Column, cell, type Row } from './columns.ts'
import type { ImportedMedia, ImportedProduct, ImportedVariant, Remark } from './product.ts'
import { weightFromGrams } from './weight.ts'

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
export function readVariants(
  rows: readonly Row[],
  handle: string,
  media: readonly ImportedMedia[],
): Variants {
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
    const image = cell(row, 'variantImage')
    const price = cell(row, 'price')
    return {
      line: row.line,
      optionValues,
      ...spread('sku', row),
      ...spread('barcode', row),
      ...(weight !== undefined && { weight }),
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
