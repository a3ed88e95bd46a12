import { type SQL, sql } from 'drizzle-orm'
import type { Answer, Context, Input } from '../../core/operation.ts'
import {
  dateConditions,
  dateParameters,
  type Orders,
  orderParameters,
  pageParameters,
} from '../../core/paging.ts'
import { type Written, withStamps } from '../../core/plan.ts'
import type { SelectedMembers } from '../../core/select.ts'
import { render, type State } from '../../core/state.ts'
import { documentColumn, instantText, rowBytes, textsColumn } from '../../db/columns.ts'
import { type Statement, statement } from '../../db/query.ts'
import { withSequence } from '../../db/sql.ts'
import { listRows } from '../shared/list.ts'
import { externalId, shortText } from '../shared/properties.ts'
import { type BrandParts, brandDocument } from './document.ts'
import { brandProblems } from './problems.ts'
import { brandIri, brand as shape } from './schema.ts'

/** The row of a brand, but for what commit() stamps. */
export function rowOf({ tenant }: Context, id: string, { values, translations }: State<typeof shape>) {
  const { externalId, handle } = values
  return {
    id,
    externalId,
    // A new brand is given one, and a patch cannot clear it.
    handle: handle ?? '',
    document: render(shape, { iri: brandIri(id), id }, { values, translations }, tenant.locales),
    translations,
  }
}

/** The brand as a write left it. */
export function writtenParts({ result, stamps }: Written<BrandParts>): BrandParts {
  return withStamps(result, stamps)
}

export function itemAnswer({ locale }: Context, parts: BrandParts): Answer & { kind: 'item' } {
  return { kind: 'item', document: brandDocument(parts, locale), version: parts.version }
}

/** The columns of a brand's parts; translations only where they are asked for. */
export function brandColumns(withTranslations: boolean, selectedMembers: SelectedMembers = null): SQL {
  return sql`id, ${documentColumn(sql`document`, selectedMembers)},
    ${withTranslations ? textsColumn(sql`translations`, selectedMembers) : sql`null::jsonb as translations`},
    version, ${instantText(sql`created_at`)} as "createdAt", ${instantText(sql`updated_at`)} as "updatedAt"`
}

/** Reads one brand. */
export function brandStatement(id: string, withTranslations: boolean): Statement<BrandParts> {
  return statement(sql`select ${brandColumns(withTranslations)} from brands
    where tenant_id = current_tenant() and id = ${id}::uuid`)
}

const orders: Orders = {
  createdAt: { column: sql`created_at`, type: 'timestamptz' },
  updatedAt: { column: sql`updated_at`, type: 'timestamptz' },
  id: { column: sql`id`, type: 'uuid' },
}

export const brandListParameters = {
  ...pageParameters,
  ...orderParameters(orders),
  handle: shortText.optional(),
  externalId: externalId.optional(),
  ...dateParameters('createdAt'),
  ...dateParameters('updatedAt'),
}

type Query = { query: typeof brandListParameters }

function conditions({ handle, externalId: external, ...query }: Input<Query>['query']): SQL[] {
  return [
    ...(handle === undefined ? [] : [sql`handle = ${handle}`]),
    ...(external === undefined ? [] : [sql`external_id = ${external}`]),
    ...dateConditions('createdAt', sql`created_at`, query),
    ...dateConditions('updatedAt', sql`updated_at`, query),
  ]
}

/** Lists brands, newest first. */
export function listBrands(context: Context, { query }: Input<Query>): Promise<Answer> {
  const { locale, selectedMembers } = context
  return listRows<BrandParts>(context, query, {
    table: 'brands',
    orders,
    standard: [['createdAt', 'desc']],
    conditions: conditions(query),
    columns: brandColumns(!locale.stored, selectedMembers),
    bytes: rowBytes(sql`translations`),
    document: (row) => brandDocument(row, locale),
  })
}

/** Reads one brand. */
export async function getBrand(
  context: Context,
  { params: { id } }: Input<{ params: 'id' }>,
): Promise<Answer> {
  const { found } = await context.db.read({ found: withSequence(brandStatement(id, !context.locale.stored)) })
  const {
    rows: [own],
    sequence,
  } = found
  if (!own) throw brandProblems.not_found({ id })
  return { ...itemAnswer(context, own), sequence }
}
