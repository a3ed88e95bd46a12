import type { EventedResource } from '../../core/operation.ts'
import { operationsOf } from '../shared/ordinary-operations.ts'
import { campaignProblems } from './problems.ts'
import { campaignKind, campaignListParameters, getCampaign, listCampaigns } from './read.ts'
import { campaign as shape } from './schema.ts'
import { createCampaign, deleteCampaign, patchCampaign } from './write.ts'

const { listOperation, createOperation, getOperation, patchOperation, deleteOperation } = operationsOf({
  shape,
  notFound: campaignProblems.not_found,
  list: '/api/campaigns',
  item: '/api/campaigns/{id}',
  readScope: 'sale_offers:read',
  writeScope: 'sale_offers:write',
})

export const resource: EventedResource = {
  shape,
  kind: campaignKind,
  problems: Object.values(campaignProblems),
  operations: [
    listOperation({
      name: 'listCampaigns',
      summary: 'List campaigns',
      query: campaignListParameters,
      run: listCampaigns,
    }),
    createOperation({
      name: 'createCampaign',
      summary: 'Create a campaign',
      description: 'Sale offers join it with their property `campaign`.',
      body: { mode: 'create' },
      emits: ['campaign/created'],
      run: createCampaign,
    }),
    getOperation({ name: 'getCampaign', summary: 'Read a campaign', run: getCampaign }),
    patchOperation({
      name: 'patchCampaign',
      summary: 'Change a campaign',
      description: 'Its period changes no offer: `POST /api/campaigns/{id}/end` does.',
      body: { mode: 'patch' },
      emits: ['campaign/updated'],
      run: patchCampaign,
    }),
    deleteOperation({
      name: 'deleteCampaign',
      summary: 'Delete a campaign to which no sale offer refers',
      description:
        'A campaign with offers, also archived ones, is 409 `campaign.in_use`: it is the history of their prices.',
      emits: ['campaign/deleted'],
      run: deleteCampaign,
    }),
  ],
}
