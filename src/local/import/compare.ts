import type { ImportedProduct, ImportedVariant, Media, ProductDocument, VariantDocument } from './product.ts'

type MergePatch = Record<string, unknown>

/**
 * The merge patch (RFC 7396) that turns the catalogue's product into the file's, or null when it already is. A property
 * that was answered in another language than the one asked for counts as not yet written.
 */
export function productPatch(
  product: ImportedProduct,
  current: ProductDocument,
  channel: string,
): MergePatch | null {
  const patch: MergePatch = {}
  const fellBack = (property: string) =>
    Object.keys(current.fallbacks ?? {}).some((name) => name === property || name.startsWith(`${property}.`))
  const text = (property: 'title' | 'description' | 'vendor' | 'productType') => {
    const wanted = product[property]
    if (wanted === undefined) return
    if (fellBack(property) ? wanted !== null : !sameText(wanted, current[property])) patch[property] = wanted
  }
  text('title')
  text('description')
  text('vendor')
  text('productType')
  if (product.tags && !sameSet(product.tags, current.tags ?? [])) patch.tags = product.tags
  if (product.media && !sameMedia(product.media, current.media ?? [])) patch.media = product.media
  if (product.seo) {
    const { title, description } = product.seo
    const same = sameText(title, current.seo?.title) && sameText(description, current.seo?.description)
    if (fellBack('seo') ? title !== null || description !== null : !same) patch.seo = { title, description }
  }
  Object.assign(patch, placement(product.published, current, channel))
  return Object.keys(patch).length > 0 ? patch : null
}

/**
 * Puts a product into the channel, or takes it out of this channel alone; it becomes a draft when no channel is left,
 * unless it is archived.
 * Other channels of the product do not matter here.
 */
function placement(published: boolean | undefined, current: ProductDocument, channel: string): MergePatch {
  if (published === undefined) return {}
  const others = current.channels.filter((name) => name !== channel)
  const inChannel = others.length < current.channels.length
  if (published) {
    return {
      ...(current.status !== 'ACTIVE' && { status: 'ACTIVE' }),
      ...(!inChannel && { channels: [...current.channels, channel] }),
    }
  }
  return {
    ...(current.status === 'ACTIVE' && others.length === 0 && { status: 'DRAFT' }),
    ...(inChannel && { channels: others }),
  }
}

/** The merge patch for a variant, or null. `titles` names the catalogue's option of each IRI. */
export function variantPatch(
  variant: ImportedVariant,
  current: VariantDocument,
  titles: ReadonlyMap<string, string | null>,
): MergePatch | null {
  const patch: MergePatch = {}
  if (variant.sku !== undefined && !sameText(variant.sku, current.sku)) patch.sku = variant.sku
  if (variant.barcode !== undefined && !sameText(variant.barcode, current.barcode))
    patch.barcode = variant.barcode
  if (variant.media && !sameMedia(variant.media, current.media ?? [])) patch.media = variant.media
  if (variant.weight !== undefined) {
    const [wanted, known] = [variant.weight, current.weight ?? null]
    const same =
      wanted === null || known === null
        ? wanted === known
        : Number(known.value) === wanted.value && known.unit === wanted.unit
    if (!same) patch.weight = wanted
  }
  const known = valuesOf(current, titles)
  if (variant.optionValues.some(({ option, value }) => known.get(option) !== value)) {
    patch.optionValues = variant.optionValues
  }
  return Object.keys(patch).length > 0 ? patch : null
}

/** Option title → value title of a variant in the catalogue. */
export function valuesOf(
  variant: VariantDocument,
  titles: ReadonlyMap<string, string | null>,
): Map<string, string> {
  return new Map(variant.optionValues.map(({ option, title }) => [titles.get(option) ?? option, title ?? '']))
}

function sameText(wanted: string | null, known: string | null | undefined): boolean {
  return (wanted ?? '') === (known ?? '').trim()
}

function sameSet(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((member) => b.includes(member))
}

function sameMedia(wanted: readonly Media[], known: readonly Media[]): boolean {
  return (
    wanted.length === known.length &&
    wanted.every(
      (item, place) => item.url === known[place]?.url && sameText(item.alt ?? null, known[place]?.alt),
    )
  )
}
