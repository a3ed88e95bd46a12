/** An option of a product as the form holds it. */
export type Option = { readonly title: string; readonly values?: readonly string[] }

type Choice = { readonly option: string; readonly value: string }

/** The options of a new product and a variant for each combination of their values; one variant without options. */
export function combinations(options: readonly Option[], sku: string | undefined) {
  const filled = options.filter(({ values }) => values !== undefined && values.length > 0)
  const all = filled.reduce<Choice[][]>(
    (found, { title, values = [] }) =>
      found.flatMap((before) => values.map((value) => [...before, { option: title, value }])),
    [[]],
  )
  return {
    options: filled.map(({ title, values = [] }) => ({
      title,
      values: values.map((value) => ({ title: value })),
    })),
    variants: all.map((optionValues) =>
      filled.length === 0 ? { sku: sku || null, optionValues } : { optionValues },
    ),
  }
}
