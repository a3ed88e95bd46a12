/** The sample calls of all resources, a file for each in `test/samples`. */
import { globSync } from 'node:fs'
import { join } from 'node:path'
import type { Operation } from '../../src/core/operation.ts'
import { type Made, type Sample, type SamplesModule, type Workshop, workshopIn } from './sampling.ts'

export type { Sample } from './sampling.ts'

type Shop = Pick<Workshop, 'post' | 'get' | 'delete'>

const root = join(import.meta.dirname, '../..')
const modules: SamplesModule[] = []
// One after the other: Vitest evaluates a module twice that two imports ask for at once before it is transformed.
for (const file of globSync('test/samples/*.ts', { cwd: root }).toSorted())
  modules.push(await import(join(root, file)))

/** The address of a call: `missing` replaces a path parameter that the sample lacks; `more` is a query without its `?`. */
export function addressOf(
  { path }: Pick<Operation, 'path'>,
  { params, query = {} }: Pick<Sample, 'params' | 'query'>,
  { missing = '', more = '' }: { readonly missing?: string; readonly more?: string } = {},
): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? missing)
  const asked = [new URLSearchParams(query).toString(), more].filter((each) => each !== '').join('&')
  return asked === '' ? filled : `${filled}?${asked}`
}

/** One resource of each kind in a shop, and how each operation is called on them. */
export async function sampleCalls(shop: Shop): Promise<(operation: Operation) => Sample> {
  const workshop = workshopIn(shop)
  const calls = new Map<string, () => Sample>()
  // One after the other, so that they are the same in every shop.
  for (const { samples } of modules)
    for (const [name, call] of Object.entries(await samples(workshop))) calls.set(name, call)
  return ({ name, path }) => {
    const call = calls.get(name)
    const patch = calls.get(name.replace('revert', 'patch'))
    if (!call && patch) return { params: patch().params, body: { to: 1 } }
    if (!call)
      throw new Error(`no sample for ${name}: add a call of ${path} to the resource's file in test/samples`)
    return call()
  }
}

/** One resource of each kind that has events, each with a text that no other shows, by its subject. */
export async function makeCanaries(shop: Shop): Promise<(subject: string) => Made> {
  const workshop = workshopIn(shop)
  const made = new Map<string, Made>()
  for (const { canaries } of modules)
    for (const [subject, document] of Object.entries((await canaries?.(workshop)) ?? {}))
      made.set(subject, document)
  return (subject) => {
    const document = made.get(subject)
    if (!document)
      throw new Error(`no canary for ${subject}: create it in the resource's file in test/samples`)
    return document
  }
}
