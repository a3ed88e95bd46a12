import { type DemoProduct, english } from './model.ts'

/** A variant of the demo: option title → value title, in English, in the order of the options. */
export type DemoVariant = { sku: string; values: Record<string, string> }

/** Every combination of a product's values, but for those it excepts; the first option varies slowest. */
export function variantsOf({ sku, options = [], except = [] }: DemoProduct): DemoVariant[] {
  let combinations: Record<string, string>[] = [{}]
  for (const { title, values } of options) {
    combinations = combinations.flatMap((chosen) =>
      values.map((value) => ({ ...chosen, [english(title)]: english(value) })),
    )
  }
  return combinations
    .filter((values) => !except.some((left) => matches(values, left)))
    .map((values) => ({ sku: [sku, ...Object.values(values).map(code)].join('-'), values }))
}

export function matches(values: Record<string, string>, only: Record<string, string>): boolean {
  return Object.entries(only).every(([option, value]) => values[option] === value)
}

/** `Forest green` → `FORESTGREEN`, `250 g` → `250G`. */
function code(value: string): string {
  return value.toUpperCase().replace(/[^A-Z0-9]/g, '')
}
