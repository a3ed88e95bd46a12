import { type SQL, sql } from 'drizzle-orm'
import type { Outline } from '../../core/outline.ts'
import { type Statement, statement } from '../../db/client.ts'
import { documentColumn, instantText, textsColumn } from '../../db/columns.ts'
import type { BrandParts } from './document.ts'

/** The columns of a brand's parts; translations only where they are asked for. */
export function brandColumns(withTranslations: boolean, outline: Outline = null): SQL {
  return sql`id, ${documentColumn(sql`document`, outline)},
    ${withTranslations ? textsColumn(sql`translations`, outline) : sql`null::jsonb as translations`},
    version, ${instantText(sql`created_at`)} as "createdAt", ${instantText(sql`updated_at`)} as "updatedAt"`
}

/** Reads one brand. */
export function brandStatement(id: string, withTranslations: boolean): Statement<BrandParts> {
  return statement(sql`select ${brandColumns(withTranslations)} from brands
    where tenant_id = current_tenant() and id = ${id}::uuid`)
}
