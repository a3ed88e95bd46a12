/** A copy of the catalogue in another database. */
import type { Complete } from './document.ts'
import { type CatalogueEvent, followEvents, lastSequence } from './events.ts'
import type { CatalogueClient, Document } from './index.ts'

type Version = '2026-10'
type Catalogue = CatalogueClient<Version>

const all = { itemsPerPage: 100 }

/** The lists that a copy can have, in the order of their references, with the kinds in the topics of their changes. */
const lists = {
  metaobjectDefinitions: {
    kinds: ['metaobject_definition'],
    read: (c: Catalogue) => c.metaobjectDefinitions.list(all),
  },
  metaobjects: { kinds: ['metaobject'], read: (c: Catalogue) => c.metaobjects.list(all) },
  categories: { kinds: ['category'], read: (c: Catalogue) => c.categories.list(all) },
  products: { kinds: ['product', 'product_option', 'option_value', 'variant'], read: products },
  collections: { kinds: ['collection'], read: (c: Catalogue) => c.collections.list(all) },
  saleOffers: { kinds: ['sale_offer'], read: (c: Catalogue) => c.saleOffers.list(all) },
  purchaseOffers: { kinds: ['purchase_offer'], read: (c: Catalogue) => c.purchaseOffers.list(all) },
}

async function* products(catalogue: Catalogue) {
  for await (const product of catalogue.products.list(all)) {
    yield product
    for (const option of product.options) {
      yield option
      // Too many values or variants to embed are in lists of their own.
      yield* option.values ?? catalogue.resource('/api/option_values').list({ ...all, option: option['@id'] })
    }
    const variants = catalogue.resource('/api/products/{productId}/variants', { productId: product['@id'] })
    yield* product.variantsView ? variants.list(all) : product.variants
  }
}

type Type =
  | ('Product' | 'ProductOption' | 'OptionValue' | 'Variant' | 'Category' | 'ProductCollection')
  | ('SaleOffer' | 'PurchaseOffer' | 'MetaobjectDefinition' | 'Metaobject')

export type Change = {
  /** The IRI. */
  readonly resource: string
  /** The current document, discriminated by `@type`. Null if the resource was deleted or archived, or may not be read any more. */
  readonly document: { [T in Type]: Complete<Document<Version, T>> }[Type] | null
  /** Null while the lists are read. */
  readonly event: CatalogueEvent<Version> | null
}

export type Copy = {
  /** `products` includes their options, values and variants, which are changes of their own. */
  readonly lists: readonly (keyof typeof lists)[]
  /** The stored position, or null before the first call. */
  readonly position: () => number | null | Promise<number | null>
  /** Stores the position after the changes so far. After a failure, the changes since the stored position are applied again. */
  readonly store: (position: number) => void | Promise<void>
  /** Deletes the copy, because all lists are read again: at the beginning and after a restore of the service. */
  readonly clear: () => void | Promise<void>
  /** Inserts, replaces or deletes a resource. It gets a change again after a failure. */
  readonly apply: (change: Change) => void | Promise<void>
}

/** Makes a copy current: reads the lists once, and then the changes since the stored position. Call it again every few seconds. */
export async function sync(catalogue: Catalogue, copy: Copy): Promise<void> {
  const copied = Object.entries(lists).flatMap(([name, list]) =>
    copy.lists.some((each) => each === name) ? list : [],
  )
  const kinds = new Set(copied.flatMap((list) => list.kinds))
  const readAgain = async (sequence: number) => {
    await copy.clear()
    for (const { read } of copied)
      for await (const document of read(catalogue))
        await copy.apply({ resource: document['@id'], document, event: null })
    await copy.store(sequence)
  }
  let position = await copy.position()
  if (position === null) {
    // Changes during the read follow it.
    position = await lastSequence(catalogue)
    await readAgain(position)
  }
  for await (const event of followEvents(catalogue, position, { readAgain })) {
    const [kind = '', action] = event.topic.split('/')
    if (kinds.has(kind)) {
      const document = action === 'deleted' ? null : (event.document as Change['document'])
      await copy.apply({ resource: event.resource, document, event })
    }
    await copy.store(event.sequence)
  }
}
