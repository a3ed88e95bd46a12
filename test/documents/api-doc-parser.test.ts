/** API Platform's parser reads our Hydra documentation: what its admin and its client generator build on. */
import { parseHydraDocumentation } from '@api-platform/api-doc-parser'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fullDescription } from '../../src/core/schema.ts'
import { metaOf } from '../../src/core/zod.ts'
import { documentedMembers } from '../../src/docs/publication.ts'
import { resources } from '../../src/resources/index.ts'
import { apiVersions } from '../../src/versions/index.ts'
import { differingVersions } from '../support/differing-versions.ts'
import { type Doorstep, openDoorstep } from '../support/doorstep.ts'

describe.each(differingVersions)('in version %s', (version) => {
  let door: Doorstep
  let api: Awaited<ReturnType<typeof parseHydraDocumentation>>['api']
  beforeAll(async () => {
    door = await openDoorstep()
    const headers = { 'Service-Api-Version': version }
    api = (await parseHydraDocumentation(`${door.origin}/api`, { headers })).api
  })
  afterAll(() => door.close())

  const apiVersion = apiVersions.get(version)!
  const listed = resources.filter(({ shape, operations }) =>
    operations.some(
      ({ path, answers, method, query = {} }) =>
        path === shape.collection &&
        answers === 'collection' &&
        method === 'GET' &&
        !path.includes('{') &&
        // The entrypoint links to lists that are read without parameters.
        !Object.values(query).some((parameter) => metaOf(parameter).mandatory),
    ),
  )

  test('every collection is a resource', () => {
    expect(api.resources?.map(({ url }) => url)).toEqual(
      listed.map(({ shape }) => `${door.origin}${shape.collection}`),
    )
  })

  test.each(listed.map((each) => [each.shape.type, each] as const))(
    '%s has its fields and operations',
    (_, resource) => {
      const { shape, operations } = resource
      const parsed = api.resources!.find(({ title }) => title === shape.type)!
      const properties = documentedMembers(resource, apiVersion)
      expect(parsed.readableFields!.map(({ name }) => name)).toEqual(properties.map(([name]) => name))
      expect(parsed.writableFields!.map(({ name }) => name)).toEqual(
        properties.filter(([, { writable }]) => writable !== 'never').map(([name]) => name),
      )
      for (const { name, required, description } of parsed.readableFields!) {
        const property = properties.find(([each]) => each === name)![1]
        expect([name, required, description]).toEqual([
          name,
          property.required && property.writable !== 'never',
          fullDescription(property),
        ])
      }
      const offered = operations.filter(
        ({ path, onlyIn }) =>
          (onlyIn === undefined || onlyIn === version) &&
          (path === shape.collection ||
            /^(?:\/by-[\w-]+)?(?:\/\{\w+\})+$/.test(path.slice(shape.collection.length))) &&
          path.startsWith(shape.collection),
      )
      expect(parsed.operations!.map(({ method }) => method).sort()).toEqual(
        offered.map(({ method }) => method as string).sort(),
      )
    },
  )

  test('a link to a resource of the entrypoint refers to it', () => {
    const offer = api.resources!.find(({ title }) => title === 'Category')!
    expect(offer.fields!.find(({ name }) => name === 'parent')!.reference).toBe(offer)
  })
})
