import { expect, test } from 'vitest'
import { type Session, StorageUnavailable } from '../db/client.ts'
import { newTenants } from './tenants.ts'

/** A database that contains the named hosts, and counts its reads. */
function directory(hosts: string[]) {
  const state = { asked: 0, away: false }
  const read = async () => {
    state.asked += 1
    if (state.away) throw new StorageUnavailable('away')
    return { rows: [{ tenant: hosts.length > 0 ? { host: hosts[0] } : null }] }
  }
  const session = { read } as unknown as Session
  const tenants = newTenants()
  return { state, tenants: { at: (host: string, now: Date) => tenants.at(host, now, session) } }
}

const after = (seconds: number) => new Date(Date.parse('2026-11-20T12:00:00Z') + seconds * 1000)

test('settings are read once a minute', async () => {
  const { state, tenants } = directory(['acme.test'])
  for (const seconds of [0, 1, 59.9]) expect(await tenants.at('acme.test', after(seconds))).not.toBeNull()
  expect(state.asked).toBe(1)
  await tenants.at('acme.test', after(60))
  expect(state.asked).toBe(2)
})

test('an unknown host is cached for seconds only, so that a new tenant is soon found', async () => {
  const hosts: string[] = []
  const { state, tenants } = directory(hosts)
  expect(await tenants.at('new.test', after(0))).toBeNull()
  hosts.push('new.test')
  expect(await tenants.at('new.test', after(4))).toBeNull()
  expect(state.asked).toBe(1)
  expect(await tenants.at('new.test', after(5))).not.toBeNull()
})

test('a failed look-up is not remembered', async () => {
  const { state, tenants } = directory(['acme.test'])
  state.away = true
  await expect(tenants.at('acme.test', after(0))).rejects.toThrow(StorageUnavailable)
  state.away = false
  expect(await tenants.at('acme.test', after(0))).not.toBeNull()
})

test('a flood of made-up hosts pushes no tenant out', async () => {
  const hosts = ['acme.test']
  const { state, tenants } = directory(hosts)
  await tenants.at('acme.test', after(0))
  hosts.pop()
  for (let index = 0; index < 1500; index += 1) await tenants.at(`made-up-${index}.test`, after(1))
  const asked = state.asked
  expect(await tenants.at('acme.test', after(2))).not.toBeNull()
  expect(await tenants.at('made-up-1499.test', after(2))).toBeNull()
  expect(state.asked).toBe(asked)
  await tenants.at('made-up-0.test', after(2))
  expect(state.asked).toBe(asked + 1)
})
