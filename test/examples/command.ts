/** `npm run examples`: records the responses of the documented requests. */
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { examplesFile, readExamples } from '../../src/docs/examples.ts'
import { buildDocuments, startService } from '../replay/service.ts'
import { comparable, documentedRequests, independentOrder, openDemo } from './documented.ts'

const { values } = parseArgs({ options: { help: { type: 'boolean' } } })
if (values.help) {
  console.log(`npm run examples

Sends the requests in src/docs/examples.ndjson to a new demo catalogue, and records the bodies of their responses in the same file.
A recording that differs only in times, signatures and new ids stays. To document an operation, add a line with its request.

Exit code 0: every request succeeded; 1: one failed, and nothing is recorded.`)
  process.exit(0)
}

const examples = readExamples()
buildDocuments()
const service = await startService()
const changed: string[] = []
let failed = 0
try {
  const send = await openDemo(service)
  // The rolling version has every operation.
  const requests = documentedRequests('unstable').filter(({ operation }) => examples.has(operation))
  for (const documented of independentOrder(requests)) {
    const { operation, method, path, status, response } = documented
    const received = await send(documented)
    if (received.status !== status) {
      failed += 1
      console.error(
        `${operation}: ${method} ${path} returned ${received.status} instead of ${status}: ${received.text}`,
      )
    } else if (comparable(received.text) !== comparable(response)) {
      changed.push(operation)
      examples.set(operation, { ...examples.get(operation), operation, response: JSON.parse(received.text) })
    }
  }
} finally {
  await service.close()
}
if (failed === 0)
  writeFileSync(examplesFile, [...examples.values()].map((line) => `${JSON.stringify(line)}\n`).join(''))
console.log(`${examples.size} examples, ${failed} failed, ${changed.length} changed: ${changed.join(', ')}`)
process.exit(failed === 0 ? 0 : 1)
