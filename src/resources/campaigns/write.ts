import { uuidv7 } from 'uuidv7'
import type { Answer, Context, Input, ItemInput } from '../../core/operation.ts'
import { differencesBetween, sameJson } from '../../core/patch.ts'
import { creationOf, deletionOf, uncommitted, updateOf } from '../../core/plan.ts'
import { created, merged, render, type State, stateOf } from '../../core/state.ts'
import { throwViolations } from '../../core/violations.ts'
import { requireIfMatch, write } from '../../core/write.ts'
import { deleteRow, save } from '../../db/write-steps.ts'
import { namesInUse, takenNamesStatement } from '../shared/names.ts'
import { writtenItem } from '../shared/ordinary-operations.ts'
import { campaignProblems } from './problems.ts'
import { type CampaignParts, campaignDocument, campaignKind, campaignStatement } from './read.ts'
import { campaignIri, campaign as shape, windowViolations } from './schema.ts'
import { campaigns } from './table.ts'

const nameProblems = { externalId: campaignProblems.external_id_taken }

/** The row of a campaign, without the columns that the write sets. */
function rowOf(context: Context, id: string, state: State<typeof shape>) {
  const document = render(shape, { iri: campaignIri(id), id }, state, context.tenant.locales)
  return { id, externalId: state.values.externalId, document }
}

export async function createCampaign(
  context: Context,
  { bodies: [body = {}] }: Input<{ body: typeof shape }>,
): Promise<Answer> {
  const id = uuidv7()
  const outcome = await write<CampaignParts>(context, 'createCampaign', async (read) => {
    const { taken } = await read({ taken: takenNamesStatement(campaigns, { externalId: [body.externalId] }) })
    throwViolations(namesInUse(taken).reserveAll(body, nameProblems))
    const state = created(shape, body, context.locale)
    const row = rowOf(context, id, state)
    const parts = { id, document: row.document, offers: 0, ...uncommitted }
    return {
      guard: [],
      underClock: save(campaigns, [row]),
      changed: [
        creationOf(campaignKind, id, {
          document: JSON.stringify(parts),
          changes: differencesBetween({}, state.values),
        }),
      ],
      totals: { campaigns: 1 },
      result: parts,
    }
  })
  const location = campaignIri(outcome.result.id)
  return { ...writtenItem(outcome, (parts) => campaignDocument(parts, context.locale)), location }
}

/** Merges a patch into a campaign. */
export async function patchCampaign(
  context: Context,
  { params: { id }, bodies: [body = {}] }: Input<{ params: 'id'; body: typeof shape }>,
): Promise<Answer> {
  const outcome = await write<CampaignParts>(context, 'patchCampaign', async (read) => {
    const { found, taken } = await read({
      found: campaignStatement([id]),
      taken: takenNamesStatement(campaigns, { externalId: [body.externalId] }, { except: id }),
    })
    const [current] = found
    if (!current) throw campaignProblems.not_found({ id })
    requireIfMatch(context, current.version)
    const before = stateOf(shape, current)
    const { state, violations } = merged(shape, before, body, context.locale)
    throwViolations([...violations, ...windowViolations(state.values)])
    throwViolations(namesInUse(taken).reserveAll(body, nameProblems))
    if (sameJson(before.values, state.values)) return { unchanged: current }
    const row = rowOf(context, id, state)
    const after = { ...current, document: row.document }
    return {
      guard: [{ kind: 'campaigns', id, version: current.version }],
      underClock: save(campaigns, [row]),
      changed: [
        updateOf(campaignKind, current, {
          document: JSON.stringify(after),
          changes: differencesBetween(before.values, state.values),
        }),
      ],
      totals: {},
      result: after,
    }
  })
  return writtenItem(outcome, (parts) => campaignDocument(parts, context.locale))
}

export async function deleteCampaign(context: Context, { params: { id } }: ItemInput): Promise<Answer> {
  const { replayed } = await write<null>(context, 'deleteCampaign', async (read) => {
    const {
      found: [current],
    } = await read({ found: campaignStatement([id]) })
    if (!current) throw campaignProblems.not_found({ id })
    requireIfMatch(context, current.version)
    return {
      guard: [{ kind: 'campaigns', id, version: current.version }],
      beforeClock: [deleteRow(campaigns, id)],
      changed: [deletionOf(campaignKind, current, JSON.stringify(current))],
      totals: { campaigns: -1 },
      result: null,
      constraintProblems: { sale_offers_campaign: campaignProblems.in_use() },
    }
  })
  return { kind: 'empty', replayed }
}
