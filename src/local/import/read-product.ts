import { type Column, cell, type Row } from './columns.ts'
import { slug } from './handle.ts'
import type { ImportedMedia, ImportedProduct, Remark } from './product.ts'
import { readVariants } from './read-variants.ts'
import type { RowGroup } from './rows.ts'

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
