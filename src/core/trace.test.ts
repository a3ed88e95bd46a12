import { expect, test } from 'vitest'
import { storedActor, traceIn, traceOf, traceparentOf } from './trace.ts'

const requestId = '0198c0de-0000-7000-8000-000000000001'
const id = '4bf92f3577b34da6a3ce929d0e0e4736'
const span = '00f067aa0ba902b7'
const own = { id: '0198c0de000070008000000000000001', isSampled: true, isGiven: false }

test.each([
  ['sampled', `00-${id}-${span}-01`, true],
  ['not sampled', `00-${id}-${span}-00`, false],
  ['with flags to come', `00-${id}-${span}-fe`, false],
  ['of a version to come', `cc-${id}-${span}-01`, true],
  ['of a later version with more parts', `cc-${id}-${span}-01-more`, true],
])('a trace %s is the caller’s', (_, header, isSampled) => {
  expect(traceIn(header, requestId)).toEqual({ id, isSampled, isGiven: true })
})

test.each([
  ['absent', null],
  ['empty', ''],
  ['of a version that there never is', `ff-${id}-${span}-01`],
  ['in upper case', `00-${id.toUpperCase()}-${span}-01`],
  ['without an id', `00-${'0'.repeat(32)}-${span}-01`],
  ['without a parent', `00-${id}-${'0'.repeat(16)}-01`],
  ['too short', `00-${id.slice(1)}-${span}-01`],
  ['that has more parts than its version', `00-${id}-${span}-01-more`],
  ['with more flags', `00-${id}-${span}-011`],
  ['of a version to come with an odd end', `cc-${id}-${span}-01.more`],
  ['sent twice', `00-${id}-${span}-01, 00-${id}-${span}-01`],
  ['with a line break', `00-${id}-${span}-01\n`],
])('a traceparent that is %s begins a trace with the id of the request', (_, header) => {
  expect(traceIn(header, requestId)).toEqual(own)
})

test('a request without such an id gets one that is made up', () => {
  expect(traceIn(null, 'x').id).toMatch(/^[0-9a-f]{32}$/)
  expect(traceIn(null, 'x').id).not.toBe(traceIn(null, 'x').id)
})

test('what goes out has the trace and its flag, and each time another span', () => {
  const sent = [1, 2].map(() => traceparentOf({ id, isSampled: false, isGiven: true }))
  for (const each of sent) expect(each).toMatch(new RegExp(`^00-${id}-(?!0{16})[0-9a-f]{16}-00$`))
  expect(new Set(sent).size).toBe(2)
})

test('a stored trace is read back, also if nothing had to be stored', () => {
  const actor = { subject: 'ann', client: 'till', person: true }
  for (const header of [`00-${id}-${span}-00`, null]) {
    const trace = traceIn(header, requestId)
    const kept = storedActor({ actor, trace })
    expect(Object.keys(kept)).toHaveLength(header === null ? 3 : 4)
    expect(traceOf({ actor: kept, requestId })).toEqual(trace)
  }
})
