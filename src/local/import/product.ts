import type { Seo } from '../documents.ts'

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
  media?: ImportedMedia[]
  /** Null when the row sets no price. */
  price: string | null
  /** Always more than the price, or null. */
  compareAt: string | null
}

export type ImportedMedia = { url: string; alt: string | null; type: 'IMAGE' }

/** A remark on one line of the file. */
export type Remark = { line: number; handle: string; message: string }

/** The name of a variant for people: `Red / L`. */
export function variantName(variant: ImportedVariant): string {
  return variant.optionValues.map(({ value }) => value).join(' / ')
}
