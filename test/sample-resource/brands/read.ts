import { type SQL, sql } from 'drizzle-orm'
import type { Answer, Context, Input, ItemInput } from '../../core/operation.ts'
import type { WriteOutcome } from '../../core/plan.ts'
import type { SelectedMembers } from '../../core/select.ts'
import { render, type State } from '../../core/state.ts'
import { documentColumn, instantText, rowBytes, textsColumn } from '../../db/columns.ts'
import { type Statement, statement } from '../../db/query.ts'
import { listing, listParameters, listRows } from '../shared/list.ts'
import { readItem, writtenItem } from '../shared/ordinary-operations.ts'
import { externalId, shortText } from '../shared/properties.ts'
import { type BrandParts, brandDocument, brandRow } from './document.ts'
import { brandProblems } from './problems.ts'
import { brandIri, brand as shape } from './schema.ts'
import { brands } from './table.ts'

/** The row of a brand, without version and times, which the write sets. */
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

/** The response to a write: the brand after the write. */
export function writtenAnswer({ locale }: Context, outcome: WriteOutcome<BrandParts>) {
  return writtenItem(outcome, (parts) => brandDocument(parts, locale))
}

/** The columns of a brand's parts; translations only if the request needs them. */
export function brandColumns(withTranslations: boolean, selectedMembers: SelectedMembers = null): SQL {
  return sql`id, ${documentColumn(sql`document`, selectedMembers)},
    ${withTranslations ? textsColumn(sql`translations`, selectedMembers) : sql`null::jsonb as translations`},
    version, ${instantText(sql`created_at`)} as "createdAt", ${instantText(sql`updated_at`)} as "updatedAt"`
}

/** Reads one brand. */
export function brandStatement(id: string, withTranslations: boolean): Statement<BrandParts> {
  const query = sql`select ${brandColumns(withTranslations)} from brands
    where tenant_id = current_tenant() and id = ${id}::uuid`
  return statement(query, brandRow)
}

const list = listing(brands, {
  orders: ['createdAt', 'updatedAt', 'id'],
  equal: ['handle', 'externalId'],
})

export const brandListParameters = listParameters(list, {
  handle: shortText.optional(),
  externalId: externalId.optional(),
})

type Query = { query: typeof brandListParameters }

/** Lists brands, newest first. */
export function listBrands(context: Context, { query }: Input<Query>): Promise<Answer> {
  const { locale, selectedMembers } = context
  return listRows(context, query, {
    row: brandRow,
    list,
    columns: brandColumns(!locale.stored, selectedMembers),
    bytes: rowBytes(sql`translations`),
    document: (row) => brandDocument(row, locale),
  })
}

/** Reads one brand. */
export function getBrand(context: Context, { params: { id } }: ItemInput): Promise<Answer> {
  const { locale } = context
  return readItem(
    context,
    brandStatement(id, !locale.stored),
    (row) => brandDocument(row, locale),
    () => brandProblems.not_found({ id }),
  )
}
