/**
 * Two ways to parse strictly, on a body of about 1 MiB with 20,000 small objects: scanning the text and then parsing it
 * natively, and parsing it natively and then counting (what `parseJson` does). `node test/bench/json.ts`
 */

import { parseJson } from '../../src/core/json.ts'
import { scanJson } from '../../src/core/strict-json.ts'

const rows = Array.from({ length: 20_000 }, (_, index) => ({
  sku: `SKU-${index}`,
  amount: (index / 100).toFixed(2),
  position: index,
}))
const plain = JSON.stringify(rows)
const escaped = plain.replaceAll('SKU-', '\\u0053KU-')

const ways: readonly (readonly [string, (text: string) => unknown])[] = [
  ['JSON.parse alone', (text) => JSON.parse(text)],
  [
    'scan, then JSON.parse',
    (text) => {
      scanJson(text)
      return JSON.parse(text)
    },
  ],
  ['parseJson', parseJson],
]

for (const [body, text] of [
  ['plain', plain],
  ['with \\u escapes', escaped],
] as const) {
  for (const [name, parse] of ways) {
    const times = Array.from({ length: 25 }, () => {
      const start = performance.now()
      parse(text)
      return performance.now() - start
    }).sort((a, b) => a - b)
    const median = times[12] ?? Number.NaN
    console.log(
      `${body}, ${(text.length / 2 ** 20).toFixed(2)} MiB: ${name} ${median.toFixed(1)} ms (median of 25)`,
    )
  }
}
