/** The service with one of its safeguards taken out, each in the way in which it would be forgotten. */

export type Edit = { readonly file: string; readonly from: string; readonly to: string }

/** A safeguard and the code without it. */
export const brokenVariants: Readonly<Record<string, readonly Edit[]>> = {
  'nothing looks for what the queues lost': [
    {
      file: 'src/background/jobs.ts',
      from: '    names.map((name) => {',
      to: '    names.slice(1).map((name) => {',
    },
  ],
  'a write is announced after it has committed': [
    {
      file: 'src/db/client.ts',
      from: '        await ownAnnouncement\n        return timed(trip)',
      to: '        const result = await timed(trip)\n        await announce()\n        return result',
    },
    {
      file: 'src/db/client.ts',
      from: 'const ownAnnouncement = announcement ?? announce()\n',
      to: '\n',
    },
    { file: 'src/db/client.ts', from: 'announcement ??= announce()', to: 'announcement = null' },
  ],
  'a run of the cron counts that began before an announced write had committed': [
    {
      file: 'src/core/wake-up.ts',
      from: 'lastRun === null || lastRun <= writingUntil',
      to: 'lastRun === null',
    },
  ],
  'an announcement is too short after the clock was set back': [
    {
      file: 'src/core/wake-up.ts',
      from: 'Math.max(times.writingUntil, times.lastRun ?? 0, now + writingMs)',
      to: 'now + writingMs',
    },
  ],
  'an id is made when it is sent': [
    {
      file: 'src/resources/webhooks/dispatch/attempt.ts',
      from: 'const id = webhookId(delivery.eventId, delivery.subscriptionId)',
      to: 'const id = webhookId(crypto.randomUUID(), delivery.subscriptionId)',
    },
  ],
  'an event may be fanned out twice': [
    {
      file: 'migrations/0001_schema.sql',
      from: 'constraint webhook_deliveries_once unique (tenant_id, subscription_id, event_id),',
      to: '',
    },
    {
      file: 'src/resources/webhooks/dispatch/fan-out.ts',
      from: 'on conflict on constraint webhook_deliveries_once',
      to: 'on conflict on constraint webhook_deliveries_pkey',
    },
    // It is also made one after the other; both safeguards have to be missing.
    {
      file: 'src/resources/webhooks/dispatch/fan-out.ts',
      from: "select pg_advisory_xact_lock(hashtextextended('fan_out:' || current_tenant(), 0))",
      to: 'select 1',
    },
  ],
  'moments at which offers begin and end pass unnoticed': [
    {
      file: 'src/resources/webhooks/dispatch/offer-boundaries.ts',
      from: 'const { due } = await session.read({ due: dueBoundaries() })',
      to: "const due = { now: '9', isComplete: true, batches: (): never[] => [] }",
    },
  ],
  'an offer that was changed begins when it would have begun': [
    {
      file: 'migrations/functions/50_offer_terms.sql',
      from: 't.valid_from > t.known_from and t.valid_from <= t.known_until\n     and (t',
      to: 't.valid_from > t.known_from\n     and (t',
    },
  ],
  'a delivery does not wait for the previous one': [
    {
      file: 'migrations/functions/70_background.sql',
      from: 'e.event_sequence < before and',
      to: 'false and',
    },
  ],
  'a delivery counts as done before it is sent': [
    {
      file: 'src/resources/webhooks/dispatch/claim.ts',
      from: 'queued_until = null,',
      to: "queued_until = null, status = 'DELIVERED', completed_at = now(),",
    },
  ],
  'a request sent again is a new request': [
    {
      file: 'src/core/write.ts',
      from: '...(isKeyed(context) && { key: storedKey(',
      to: '...(isKeyed(context) && Math.random() > 1 && { key: storedKey(',
    },
  ],
  'a change whose caller went away counts as made': [
    {
      file: 'src/core/write.ts',
      from: 'rows.some((row) => eventIds.includes(row.eventId))',
      to: 'rows.length + eventIds.length >= 0',
    },
    // A loss before the commit cancels everything, so that only the safeguard can be noticed.
    {
      file: 'test/faults/history.ts',
      from: "'request lost',\n      'response lost',\n      'late',\n      'cancelled',",
      to: "'cancelled',",
    },
  ],
  'sequences continue after a restore from where they were': [
    {
      file: 'src/local/recover.ts',
      from: '}, sequence + 1000000000)',
      to: '} * 0, sequence + 1)',
    },
  ],
  'a copy continues from a sequence that a restore undid': [
    { file: 'src/resources/events/feed.ts', from: 'after > sequence || isInGap', to: 'after > sequence' },
  ],
  'an entity tag from before a restore counts': [
    {
      file: 'src/http/response.ts',
      from: 'version === undefined || Number(epoch) !== epochOf(tenant)',
      to: 'version === undefined',
    },
  ],
  'a restore is announced to no subscription': [
    {
      file: 'src/local/recover.ts',
      from: 'case when not exists (select from webhook_subscriptions s',
      to: 'case when true or not exists (select from webhook_subscriptions s',
    },
  ],
  'a write of prices misses another one of the same variant': [
    {
      file: 'migrations/functions/54_variant_prices.sql',
      from: "where not (given ->> 'isRebuild')::boolean and moved_variants(given -> 'variants') <> '{}'",
      to: 'where false',
    },
  ],
  'prices of archived goods stay': [
    {
      file: 'migrations/functions/54_variant_prices.sql',
      from: '  with divided as (',
      to: '  return;\n  with divided as (',
    },
  ],
  'a write of prices replaces past ones': [
    {
      file: 'migrations/functions/54_variant_prices.sql',
      from: '  with span as materialized (',
      to: '  delete from variant_prices p where p.tenant_id = tenant and p.variant_id = any(ids);\n  with span as materialized (',
    },
    {
      file: 'migrations/functions/54_variant_prices.sql',
      from: 'greatest(r.f, moment) as f',
      to: 'r.f as f',
    },
  ],
  'a line of a bulk operation may be performed twice': [
    {
      file: 'src/background/bulk-operations.ts',
      from: "return [requireLease(worker), ...insert('bulk_operation_results', rows)]",
      to: 'return rows.length > 0 ? [] : [requireLease(worker)]',
    },
  ],
  'a worker without the lease stores its results': [
    {
      file: 'src/resources/bulk-operations/write.ts',
      from: "select reject('PC409', 'lease') where not exists (",
      to: "select reject('PC409', 'lease') where false and not exists (",
    },
  ],
  'the progress of a bulk operation is stored before its lines': [
    {
      file: 'src/background/bulk-operations.ts',
      from: '  const results = await resultsOf(worker, operation, caller, chunk.lines)\n',
      to: `  await db.apply({ beforeClock: recordSteps(worker, operation, chunk.last, []) })
  const results = await resultsOf(worker, operation, caller, chunk.lines)\n`,
    },
  ],
  'a rebuild stores its progress before its prices': [
    {
      file: 'src/resources/prices/price-rebuild.ts',
      from: `        run(sql\`select advance_price_rebuild(\${rebuild.token}::uuid, \${next}::uuid)\`),\n`,
      to: '',
    },
    {
      file: 'src/resources/prices/price-rebuild.ts',
      from: '    const prices = indexPrices([])\n',
      to: `    const prices = indexPrices([])
    await writer.db.write({
      ahead: statement(sql\`select advance_price_rebuild(\${rebuild.token}::uuid, \${next}::uuid)\`),
    })
`,
    },
  ],
}
