/** Modules without input or output, each with the test that alone covers it. */
export const pure: readonly { readonly modules: readonly string[]; readonly test: string }[] = [
  { modules: ['src/core/locale.ts'], test: 'src/core/countries.test.ts' },
  { modules: ['src/core/money.ts'], test: 'src/core/currencies.test.ts' },
  { modules: ['src/core/sizes.ts'], test: 'src/core/sizes.test.ts' },
  { modules: ['src/core/money.ts'], test: 'src/core/decimal.test.ts' },
  { modules: ['src/core/gtin.ts'], test: 'src/core/gtin.test.ts' },
  { modules: ['src/core/instant.ts'], test: 'src/core/instant.test.ts' },
  { modules: ['src/core/json.ts'], test: 'src/core/json.test.ts' },
  { modules: ['src/core/strict-json.ts'], test: 'src/core/strict-json.test.ts' },
  { modules: ['src/core/patch.ts'], test: 'src/core/patch.test.ts' },
  { modules: ['src/core/scopes.ts'], test: 'src/core/permission.test.ts' },
  { modules: ['src/core/select.ts'], test: 'src/core/select.test.ts' },
  { modules: ['src/core/slug.ts'], test: 'src/core/slug.test.ts' },
  { modules: ['src/resources/products/search.ts'], test: 'src/resources/products/words.test.ts' },
  {
    modules: ['src/resources/fields/types.ts', 'src/resources/fields/types.ts'],
    test: 'src/resources/fields/value.test.ts',
  },
  {
    modules: [
      'src/resources/prices/price.ts',
      'src/resources/prices/price.ts',
      'src/resources/prices/price.ts',
      'src/resources/prices/price.ts',
      'src/resources/prices/price.ts',
      'src/resources/prices/price.ts',
    ],
    test: 'src/resources/prices/price.test.ts',
  },
  { modules: ['src/resources/prices/timeline.ts'], test: 'src/resources/prices/timeline.test.ts' },
  {
    modules: ['src/resources/prices/timeline-read.ts'],
    test: 'src/resources/prices/timeline-request.test.ts',
  },
  {
    modules: ['src/resources/prices/timeline-operations.ts', 'src/resources/prices/timeline-read.ts'],
    test: 'src/resources/prices/timeline-lines.test.ts',
  },
  { modules: ['src/resources/prices/request.ts'], test: 'src/resources/prices/history.test.ts' },
  {
    modules: ['src/resources/prices/prior.ts', 'src/resources/prices/prior.ts'],
    test: 'src/resources/prices/prior.test.ts',
  },
  {
    modules: ['src/resources/prices/read.ts'],
    test: 'src/resources/prices/prior-terms.test.ts',
  },
  {
    modules: ['src/resources/sale-offers/schema.ts', 'src/resources/offers/properties.ts'],
    test: 'src/resources/sale-offers/terms.test.ts',
  },
  { modules: ['src/resources/sale-offers/boundaries.ts'], test: 'src/resources/sale-offers/parts.test.ts' },
  {
    modules: ['src/resources/collections/rules.ts'],
    test: 'src/resources/collections/rules.test.ts',
  },
  {
    modules: ['src/resources/webhooks/dispatch/schedule.ts'],
    test: 'src/resources/webhooks/dispatch/schedule.test.ts',
  },
  {
    modules: ['src/resources/webhooks/dispatch/attempt.ts'],
    test: 'src/resources/webhooks/dispatch/sign.test.ts',
  },
]
