/** The resource and its operations declare the same scope; hidden documents depend on it. */
import { expect, test } from 'vitest'
import { kinds } from '../../src/resources/events/topics.ts'
import { resources } from '../../src/resources/index.ts'

const reads = resources
  .flatMap((each) => each.operations)
  .filter(({ method, scope, onlyIn }) => method === 'GET' && scope !== null && onlyIn === undefined)

test('what reads a kind of resource is the scope of the operation that reads it', () => {
  const reading = Object.values(kinds).map(({ shape }) => {
    const own = reads.filter((each) => each.shape.type === shape.type)
    return { type: shape.type, scopes: [...new Set(own.map(({ scope }) => scope))] }
  })
  expect(reading).toEqual(
    Object.values(kinds).map(({ shape }) => ({ type: shape.type, scopes: [shape.readWith] })),
  )
})
