/** `npm run examples`: records the responses of the documented requests. */
import { writeFileSync } from 'node:fs'
import type { Json } from '../../src/core/json.ts'
import { exampleFiles, readExamples, readRefusals, readWebhooks } from '../../src/docs/examples.ts'
import { buildDocuments, startService } from '../replay/service.ts'
import { commandOptions } from '../support/command-options.ts'
import {
  comparable,
  documentedRequests,
  independentOrder,
  openDemo,
  provoke,
  sluggedProblem,
} from './documented.ts'

const values = commandOptions('examples', { help: { type: 'boolean' } })
if (values.help) {
  console.log(`npm run examples

Sends the requests in src/docs/examples.ndjson and refusals.ndjson to a new demo catalogue, and records the bodies of their responses
in the same files. It records a webhook of each topic in src/docs/webhooks.ndjson.
A recording that differs only in times, signatures and new ids stays. To document an operation or a problem, add a line with its request.

Exit code 0: every request had the documented result; 1: one had another, and nothing is recorded.`)
  process.exit(0)
}

const examples = readExamples()
const refusals = readRefusals()
const webhooks = readWebhooks()
buildDocuments()
const service = await startService()
const changed: string[] = []
let failed = 0
try {
  const { send } = await openDemo(service)
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
  const provoked = await provoke(service, 'unstable', webhooks)
  for (const [index, { slug, received }] of provoked.problems.entries()) {
    const response: Json = JSON.parse(received.text)
    if (sluggedProblem(received.text) !== slug) {
      failed += 1
      console.error(`${slug}: the response is ${received.status} ${received.text}`)
    } else if (comparable(received.text) !== comparable(JSON.stringify(refusals[index]!.response ?? null))) {
      changed.push(slug)
      refusals[index] = { ...refusals[index]!, response }
    }
  }
  for (const webhook of provoked.webhooks) {
    const index = webhooks.findIndex(({ topic }) => topic === webhook.topic)
    const before = webhooks[index]
    if (before && comparable(JSON.stringify(before)) === comparable(JSON.stringify(webhook))) continue
    changed.push(webhook.topic)
    webhooks.splice(before ? index : webhooks.length, 1, webhook)
  }
} finally {
  await service.close()
}
const write = (file: string, lines: readonly object[]) =>
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
if (failed === 0) {
  write(exampleFiles.responses, [...examples.values()])
  write(exampleFiles.refusals, refusals)
  write(exampleFiles.webhooks, webhooks)
}
const count = examples.size + refusals.length + webhooks.length
console.log(`${count} examples, ${failed} failed, ${changed.length} changed: ${changed.join(', ')}`)
process.exit(failed === 0 ? 0 : 1)
