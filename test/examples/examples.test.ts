/** The documented examples are real: the service returns them for the documented requests. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readExamples } from '../../src/docs/examples.ts'
import { resources } from '../../src/resources/index.ts'
import { versions } from '../../src/versions/index.ts'
import { buildDocuments, type Service, startService } from '../replay/service.ts'
import {
  comparable,
  type Documented,
  documentedRequests,
  independentOrder,
  openDemo,
  type Send,
} from './documented.ts'

let service: Service
beforeAll(async () => {
  buildDocuments()
  service = await startService()
})
afterAll(() => service.close())

test('each operation has an example with its own parameters', () => {
  const examples = readExamples()
  const operations = resources.flatMap((resource) => resource.operations)
  expect([...examples.keys()].toSorted()).toEqual(operations.map(({ name }) => name).toSorted())
  const unknown = operations.flatMap(({ name, query }) =>
    Object.keys(examples.get(name)?.query ?? {}).filter((parameter) => !Object.hasOwn(query, parameter)),
  )
  expect(unknown).toEqual([])
})

describe.each(versions.map(({ name }) => name))('in version %s', (version) => {
  test('each documented request returns the documented response', async () => {
    const send = await openDemo(service)
    for (const documented of independentOrder(documentedRequests(version))) {
      const { operation, status, response } = documented
      const received = await send(documented)
      expect
        .soft({ operation, status: received.status, body: comparable(received.text) })
        .toEqual({ operation, status, body: comparable(response) })
    }
  })

  test('the documented requests succeed in the order of the document', async () => {
    const send = await openDemo(service)
    const failures: string[] = []
    for (const documented of documentedRequests(version)) {
      const { status, text } = await send(documented)
      if (status !== documented.status) failures.push(`${documented.operation}: ${status} ${text}`)
    }
    expect(failures).toEqual([])
  })
})

describe('in the guide and the README', () => {
  const root = join(import.meta.dirname, '../..')
  const read = (file: string) => readFileSync(join(root, file), 'utf8')
  let send: Send
  beforeAll(async () => {
    send = await openDemo(service)
  })
  const get = (path: string): Documented => ({
    ...{ operation: path, method: 'GET', path, headers: {}, body: null, status: 200, response: '' },
  })

  test('each request returns the response below it', async () => {
    const guide = globSync('src/docs/guide/*.md', { cwd: root }).map(read).join('\n')
    const requests = [...guide.matchAll(/^GET (\S+)\n```\n(?:[^`]*```json\n([^`]+)```)?/gm)]
    expect(requests.length).toBeGreaterThan(1)
    for (const [, path = '', response] of requests) {
      const received = await send(get(path))
      expect(received.status, received.text).toBe(200)
      if (response) expect(comparable(received.text)).toBe(comparable(JSON.stringify(JSON.parse(response))))
    }
  })

  test('the first request of the tour returns the response that the README shortens', async () => {
    const readme = read('README.md')
    const [, path = ''] = /call "\$SHOP([^"]+)"/.exec(readme) ?? []
    const [, response = ''] = /```json\n([^`]+)```/.exec(readme) ?? []
    const { text } = await send(get(path.replace('\\\n', '')))
    expect(JSON.parse(text)).toMatchObject(JSON.parse(response))
  })
})
