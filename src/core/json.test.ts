import { expect, test } from 'vitest'
import { jsonOf, member, setMember } from './json.ts'

test('setMember makes an own member of any name', () => {
  const object: Record<string, unknown> = {}
  setMember(object, '__proto__', { isAdmin: true })
  setMember(object, '__proto__', { isAdmin: false })
  setMember(object, 'constructor', 1)
  expect(JSON.stringify(object)).toBe('{"__proto__":{"isAdmin":false},"constructor":1}')
  expect(object.isAdmin).toBeUndefined()
  const ordinary = { writable: true, enumerable: true, configurable: true }
  expect(Reflect.getOwnPropertyDescriptor(object, '__proto__')).toEqual({
    ...ordinary,
    value: { isAdmin: false },
  })
})

test('a member is an own one', () => {
  expect(member({ a: 1 }, 'a')).toBe(1)
  expect(member({ a: 1 }, 'b')).toBeUndefined()
  for (const name of ['constructor', '__proto__', 'toString']) expect(member({}, name)).toBeUndefined()
})

test('JSON of ours is taken as it is', () => {
  const plain = { a: [1] }
  expect(jsonOf(plain)).toBe(plain)
})
