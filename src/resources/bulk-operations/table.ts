import { boolean, integer, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core'
import { instant, resourceColumns } from '../../db/columns.ts'
import type { FrozenActor } from './schema.ts'

const { externalId: _externalId, document: _document, ...columns } = resourceColumns

export const bulkOperations = pgTable('bulk_operations', {
  ...columns,
  status: text('status').notNull(),
  actor: jsonb('actor').$type<FrozenActor>().notNull(),
  requestId: text('request_id').notNull(),
  origin: text('origin').notNull(),
  apiVersion: text('api_version').notNull(),
  locale: text('locale').notNull(),
  isStrict: boolean('is_strict').notNull(),
  stopsOnError: boolean('stops_on_error').notNull(),
  isDryRun: boolean('is_dry_run').notNull(),
  lines: integer('lines').notNull(),
  bytes: integer('bytes').notNull(),
  processed: integer('processed').notNull(),
  succeeded: integer('succeeded').notNull(),
  failed: integer('failed').notNull(),
  unchanged: integer('unchanged').notNull(),
  assumed: integer('assumed').notNull(),
  problems: jsonb('problems').notNull(),
  failure: text('failure'),
  reverts: uuid('reverts'),
  startedAt: instant('started_at'),
  finishedAt: instant('finished_at'),
  lease: uuid('lease'),
  leasedUntil: instant('leased_until').notNull(),
})
