/** Modules without input or output, each with the test that alone holds it. */
export const pure: readonly { readonly modules: readonly string[]; readonly test: string }[] = [
  { modules: ['src/core/countries.ts'], test: 'src/core/countries.test.ts' },
  { modules: ['src/core/currencies.ts'], test: 'src/core/currencies.test.ts' },
  { modules: ['src/core/cut.ts'], test: 'src/core/cut.test.ts' },
  { modules: ['src/core/decimal.ts'], test: 'src/core/decimal.test.ts' },
  { modules: ['src/core/gtin.ts'], test: 'src/core/gtin.test.ts' },
  { modules: ['src/core/instant.ts'], test: 'src/core/instant.test.ts' },
  { modules: ['src/core/json.ts', 'src/core/json-fault.ts'], test: 'src/core/json.test.ts' },
  { modules: ['src/core/patch.ts'], test: 'src/core/patch.test.ts' },
  { modules: ['src/core/permission.ts'], test: 'src/core/permission.test.ts' },
  { modules: ['src/core/select.ts'], test: 'src/core/select.test.ts' },
  { modules: ['src/core/slug.ts'], test: 'src/core/slug.test.ts' },
  { modules: ['src/core/words.ts'], test: 'src/core/words.test.ts' },
  {
    modules: ['src/resources/content/field-types/value.ts', 'src/resources/content/field-types/rules.ts'],
    test: 'src/resources/content/field-types/value.test.ts',
  },
  {
    modules: [
      'src/resources/prices/price.ts',
      'src/resources/prices/explained.ts',
      'src/resources/prices/filters.ts',
      'src/resources/prices/offer.ts',
      'src/resources/prices/order.ts',
      'src/resources/prices/standing.ts',
    ],
    test: 'src/resources/prices/price.test.ts',
  },
  { modules: ['src/resources/prices/timeline.ts'], test: 'src/resources/prices/timeline.test.ts' },
  {
    modules: ['src/resources/prices/timeline-asked.ts'],
    test: 'src/resources/prices/timeline-asked.test.ts',
  },
  {
    modules: ['src/resources/prices/timeline-document.ts', 'src/resources/prices/timeline-lines.ts'],
    test: 'src/resources/prices/timeline-lines.test.ts',
  },
  { modules: ['src/resources/prices/history.ts'], test: 'src/resources/prices/history.test.ts' },
  {
    modules: ['src/resources/prices/prior.ts', 'src/resources/prices/prior-document.ts'],
    test: 'src/resources/prices/prior.test.ts',
  },
  {
    modules: ['src/resources/prices/prior-terms.ts', 'src/resources/prices/offer-text.ts'],
    test: 'src/resources/prices/prior-terms.test.ts',
  },
  {
    modules: ['src/resources/prices/sale/terms.ts', 'src/resources/prices/offers/terms.ts'],
    test: 'src/resources/prices/sale/terms.test.ts',
  },
  { modules: ['src/resources/offers/sale/parts.ts'], test: 'src/resources/offers/sale/parts.test.ts' },
  {
    modules: ['src/resources/products/collections/rules.ts'],
    test: 'src/resources/products/collections/rules.test.ts',
  },
  {
    modules: ['src/resources/webhooks/engine/schedule.ts'],
    test: 'src/resources/webhooks/engine/schedule.test.ts',
  },
  { modules: ['src/resources/webhooks/engine/sign.ts'], test: 'src/resources/webhooks/engine/sign.test.ts' },
]
