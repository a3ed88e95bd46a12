import type { Tenant } from '../../core/context.ts'
import type { Context } from '../../core/operation.ts'

/** What of a request's context decides what a written product becomes. */
export type WriteContext = Pick<Context, 'locale' | 'now'> & { readonly tenant: Pick<Tenant, 'locales'> }
