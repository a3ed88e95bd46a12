/** The kinds of rows of a catalogue, each after those that it refers to. */

/** A kind of resource that has a table of its own, by the table's name. */
export type MovedKind = {
  readonly name: string
  /** Tables whose rows describe this row, and the column that names it. They are exported with it. */
  readonly beside: Readonly<Record<string, string>>
  /** Columns of exact decimals: as JSON numbers they would lose their zeros. */
  readonly decimals: readonly string[]
  /** Columns that differ between tenants, or are counted again. */
  readonly left: readonly string[]
  /**
   * The condition of the rows `t` that events after the sequence `$2` may have touched. A place among siblings moves without an
   * event of its own, so that all siblings count.
   */
  readonly touched: string
  /** Read only at the end, because its changes have no events. */
  readonly movesLast: boolean
}

/** Derived from the row's own texts. */
const left = ['translated_in']
const plain = { beside: {}, decimals: [], left: [], touched: 'false', movesLast: false }
const events = 'from events e where e.tenant_id = $1 and e.sequence > $2'
const changed = (kind: string) => `t.id in (select e.resource_id ${events} and e.kind = '${kind}')`
const ofProduct = (column: string) =>
  `t.${column} in (select coalesce(e.owner_id, e.resource_id) ${events}
     and e.kind in ('products', 'product_options', 'option_values', 'variants'))`

export const movedKinds: readonly MovedKind[] = [
  { ...plain, name: 'metaobject_definitions', touched: changed('metaobject_definitions') },
  { ...plain, name: 'metaobjects', touched: changed('metaobjects') },
  { ...plain, left, name: 'categories', touched: `exists (select ${events} and e.kind = 'categories')` },
  { ...plain, left, name: 'collections', touched: changed('collections') },
  {
    ...plain,
    left,
    name: 'products',
    beside: {
      product_tags: 'product_id',
      product_channels: 'product_id',
      product_categories: 'product_id',
      product_collections: 'product_id',
    },
    touched: ofProduct('id'),
  },
  { ...plain, left, name: 'product_options', touched: ofProduct('product_id') },
  { ...plain, left, name: 'option_values', touched: ofProduct('product_id') },
  {
    ...plain,
    name: 'variants',
    beside: { variant_option_values: 'variant_id' },
    // Offers are counted without an event of the variant.
    left: ['sale_offer_count', 'purchase_offer_count'],
    touched: ofProduct('product_id'),
  },
  {
    ...plain,
    name: 'sale_offers',
    decimals: ['amount', 'compare_at_amount'],
    left: ['country_set'],
    touched: changed('sale_offers'),
  },
  { ...plain, name: 'purchase_offers', decimals: ['cost'], touched: changed('purchase_offers') },
  {
    ...plain,
    name: 'webhook_subscriptions',
    // Secrets are not exported. Columns that follow from deliveries begin again.
    left: [
      'secret',
      'previous_secret',
      'previous_secret_until',
      'status',
      'failing_since',
      'disabled_reason',
    ],
    movesLast: true,
  },
]
