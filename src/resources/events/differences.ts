/**
 * Verification of copies: where a copy differs from the catalogue, by counts and sums of its ids and versions over ranges of a hash of the
 * id. `sync_range()` and `sync_value()` in migrations/functions/00_basics.sql are the hashes, and indexes have them.
 */
import { sql } from 'drizzle-orm'
import * as z from 'zod'
import { isLive } from '../../core/name-holders.ts'
import { type Answer, type Context, type Input, operation, resourceOf } from '../../core/operation.ts'
import { formats, validationProblems } from '../../core/problems/validation.ts'
import { readOnly, type Shape, writable } from '../../core/schema.ts'
import { write } from '../../core/write.ts'
import { atMost } from '../../core/zod.ts'
import { statement } from '../../db/query.ts'
import { tenantSequence } from '../../db/sql.ts'
import { catalogue } from '../catalogue.ts'
import { eventProblems } from './problems.ts'

const path = '/api/sync/differences'

/** The most ranges of a request. */
export const maximumRanges = 1000
/** The most resources of a range that is not divided. */
const undividedRows = 64
/** Digits of the hash of an id. */
const hashDigits = 8
/** Digits by which the whole is divided, and by which a range is. */
const [firstDigits, moreDigits] = [3, 1]

const kinds = catalogue.flatMap(({ kind }) => kind ?? [])
const types = kinds.map(({ shape }) => shape.type)
const kindOf = (type: unknown) => kinds.find(({ shape }) => shape.type === type)

/** Sums are numbers that JSON has exactly. */
const modulus = 2 ** 48

const sum = z.array(z.int().min(0)).length(2)

const syncDifferences = {
  type: 'SyncDifferences',
  description: 'Where a copy differs from the catalogue.',
  collection: path,
  readWith: null,
  properties: {
    type: writable(z.enum(types), 'The `@type` of the compared resources.', {
      required: true,
      stored: false,
      example: 'Product',
      neededScopes: {
        scopes: (type) => [kindOf(type)?.shape.readWith ?? []].flat(),
        described: 'the scope that reads the type',
      },
    }),
    sums: writable(
      atMost(maximumRanges, z.record(z.string(), sum)),
      `The count and the sum of the copy’s resources in each range. A range is the beginning of the hash of their ids: 0 to ${hashDigits} digits, the same number in all. A range without resources has \`[0, 0]\`.`,
      {
        required: true,
        stored: false,
        writeOnly: true,
        example: { '': [2, 91234567890123] },
        validate: (sums, at) =>
          Object.keys(sums ?? {}).flatMap((range, _, [first]) =>
            /^[0-9a-f]{0,8}$/.test(range) && range.length === first?.length
              ? []
              : validationProblems.pattern.at(at(`sums.${range}`), { format: formats.documented }),
          ),
      },
    ),
    sequence: readOnly(z.int(), 'The sequence of the last event that the comparison includes.', {
      example: 1042,
    }),
    ranges: readOnly(
      z.array(
        z.object({
          range: z.string(),
          sums: z.array(sum).nullable(),
          versions: z.record(z.string(), z.int()).nullable(),
        }),
      ),
      `The ranges that differ. \`versions\` has the version of each resource by its IRI. If a range has more than ${undividedRows} resources, \`versions\` is null, and \`sums\` has the counts and sums of all ranges in it, in order: ${16 ** firstDigits} with ${firstDigits} digits in the whole, else ${16 ** moreDigits} with one digit more.`,
      { example: [{ range: '', sums: null, versions: { '/api/products/…': 3 } }] },
    ),
  },
} satisfies Shape

const differingRange = {
  range: z.number(),
  sums: z.array(z.tuple([z.number(), z.number()])).nullable(),
  versions: z.record(z.string(), z.number()).nullable(),
}

/** Compares in one read. Stores nothing; a repeated request compares again. */
async function compareCopy(
  context: Context,
  { bodies: [body = {}] }: Input<{ body: typeof syncDifferences }>,
): Promise<Answer> {
  const { type, sums } = body
  const kind = kindOf(type)
  if (!kind) throw new Error(`no kind has the type ${type}`)
  const given = Object.entries(sums ?? {})
  const digits = given[0]?.[0].length ?? 0
  const width = Math.min(digits === 0 ? firstDigits : moreDigits, hashDigits - digits)
  const bits = (hashDigits - digits) * 4
  const array = (values: readonly (number | undefined)[]) => sql`${`{${values.join(',')}}`}::bigint[]`
  const { draft, collection } = kind.shape
  const [before = '', after] = collection.split(/\{\w+\}/)
  const iri = sql`${before} || ${after === undefined ? sql`'/'` : sql`product_id || ${`${after}/`}`} || id`
  const draftCondition =
    draft && !context.access.seesDrafts(kind.shape) ? sql` and status <> ${draft.status}` : sql``
  // The whole is summed by its parts. Sums of the parts of other ranges would cost more than reading those that are divided again.
  const ownBits = digits === 0 ? bits - width * 4 : bits
  const modulo = sql`% ${modulus}::bigint)::bigint as sum`
  let found: { readonly range: string }[] = []
  let sequence = 0
  const { replayed } = await write(context, 'compareCopy', async (read) => {
    const result = await read({
      sequence: statement({ sequence: z.number() })`select ${tenantSequence} as sequence`,
      // With `offset 0`, the scan of an index …_sums returns the hashes that it stores. Without it, Postgres computes them again.
      ranges: statement(differingRange)`
        with resource as not materialized (
          select ${iri} as iri, version, sync_range(id) as hash, sync_value(id, version) as value from ${sql.identifier(kind.name)}
           where tenant_id = current_tenant() and ${isLive(kind.name)}${draftCondition} offset 0
        ), part as materialized (
          select hash >> ${ownBits}::int as part, count(*) as count, (sum(value) ${modulo} from resource group by 1
        ), stored as (
          select part >> ${bits - ownBits}::int as range, sum(count)::bigint as count, (sum(sum) ${modulo} from part group by 1
        ), differing as materialized (
          select range, coalesce(stored.count, 0) <= ${undividedRows}::int or ${width}::int = 0 as is_undivided
            from unnest(${array(given.map(([range]) => Number(`0x0${range}`)))}, ${array(given.map(([, [count]]) => count))}, ${array(given.map(([, [, sum]]) => sum))})
                 as given(range, count, sum)
            left join stored using (range)
           where (coalesce(stored.count, 0), coalesce(stored.sum, 0)) <> (given.count, given.sum)
        ), divided as (${
          digits === 0
            ? sql`select * from part`
            : sql`select hash >> ${bits - width * 4}::int as part, count(*) as count, (sum(value) ${modulo} from resource
                where hash >> ${bits}::int in (select range from differing where not is_undivided) group by 1`
        }), undivided as (
          select hash >> ${bits}::int as range, json_object_agg(iri, version order by iri) as versions from resource
           where hash >> ${bits}::int in (select range from differing where is_undivided) group by 1
        )
        select range::float8, json_agg(json_build_array(coalesce(divided.count, 0), coalesce(divided.sum, 0)) order by nth) as sums, null::json as versions
          from differing cross join generate_series(0, ${16 ** width - 1}::int) nth
          left join divided on part = (range << ${width * 4}::int) + nth
         where not is_undivided group by range
        union all
        select range::float8, null, coalesce(versions, '{}') from differing left join undivided using (range) where is_undivided
         order by range`,
    })
    sequence = result.sequence[0]?.sequence ?? 0
    found = result.ranges.map(({ range, ...differing }) => ({
      range: digits === 0 ? '' : range.toString(16).padStart(digits, '0'),
      ...differing,
    }))
    return { unchanged: null }
  })
  return {
    kind: 'item',
    document: { '@id': path, '@type': syncDifferences.type, type, sequence, ranges: found },
    version: null,
    replayed,
  }
}

export const syncComparison = resourceOf(
  operation({
    name: 'compareCopy',
    summary: 'Find the resources in which a copy differs from the catalogue',
    description: `Compares the resources that an export contains, drafts as the caller may see them: no archived products, variants and offers, and no parts of archived products. The hash of an id is the first ${hashDigits} digits of the SHA-256 of the id, in lower-case hexadecimal. The value of a resource is the first 12 digits of the SHA-256 of \`id:version\`, as a number. The sum of a range is the sum of the values of its resources, modulo 2^48. Properties that change without a version are not compared: positions, \`level\` and \`ancestors\` of categories, numbers of products, and states of offers.`,
    method: 'POST',
    path,
    status: 200,
    scope: null,
    alsoTakes: 'Requires the scope that reads the type.',
    shape: syncDifferences,
    answers: 'item',
    body: { mode: 'create' },
    notFound: eventProblems.not_found,
    run: compareCopy,
  }),
)
