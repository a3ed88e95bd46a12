import { expect, test } from 'vitest'
import { bridgeSettings } from './bridge-settings.ts'

test('without variables the bridge has the sizes of Neon', () => {
  expect(bridgeSettings({})).toEqual({ maximumRequest: 67_108_864, maximumResponse: 67_108_864 })
})

test('variables make it slower, stricter and busier', () => {
  expect(bridgeSettings({ BRIDGE_DELAY: '5', BRIDGE_SIZE: 'open-source', BRIDGE_RATE: '200' })).toEqual({
    maximumRequest: 10_485_760,
    maximumResponse: 10_485_760,
    delay: 5,
    requestsPerSecond: 200,
  })
})

test.each([
  ['BRIDGE_DELAY', '-1'],
  ['BRIDGE_RATE', 'many'],
  ['BRIDGE_SIZE', '10'],
])('%s=%s is refused with its name', (name, value) => {
  expect(() => bridgeSettings({ [name]: value })).toThrow(name)
})
