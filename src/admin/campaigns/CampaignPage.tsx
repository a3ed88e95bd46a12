import { Alert, Box, Button, LinearProgress, Stack, TextField, Typography } from '@mui/material'
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Loading, Title, useLocale } from 'react-admin'
import { useParams } from 'react-router-dom'
import { instantIn } from '../core/clock.ts'
import { call } from '../core/http.ts'
import { useWords } from '../core/i18n.ts'
import { learnNames, nameOf } from '../core/names.ts'
import { hasScope } from '../core/session.ts'
import { momentText, shopZone, zoneText } from '../core/zone.ts'
import { endCampaign, type Outcome, revert } from '../grid/submit.ts'
import { DataTable } from '../layout/DataTable.tsx'
import { Modal } from '../layout/Modal.tsx'
import { Problem } from '../layout/Problem.tsx'
import { type Campaign, stateOf } from './campaign.ts'
import { useCampaignWords } from './words.ts'

/** A campaign: its period, its prices, and the end of all of them at once. */
export function CampaignPage() {
  const { id } = useParams()
  const words = useCampaignWords()
  const language = useLocale()
  const iri = `/api/campaigns/${id}`
  const { data: campaign, error } = useQuery({
    queryKey: ['campaign', iri],
    queryFn: async () => (await call<Campaign>(iri)).json,
    staleTime: 0,
  })
  const moment = (instant: string | null) => (instant === null ? words.open : momentText(instant, language))
  if (error) return <Alert severity="warning">{error.message}</Alert>
  if (!campaign) return <Loading />
  return (
    <Box sx={{ pt: 2, maxWidth: 1100 }}>
      <Title title={campaign.name} />
      <Typography>
        {`${words.states[stateOf(campaign, new Date())]} · ${words.from} ${moment(campaign.validFrom)} · ${words.until} ${moment(campaign.validUntil)} · ${words.offers}: ${campaign.offers}`}
      </Typography>
      {campaign.description && <Typography sx={{ mt: 1 }}>{campaign.description}</Typography>}
      {hasScope('sale_offers:write') && <End campaign={campaign} />}
      <Offers campaign={iri} />
    </Box>
  )
}

/** Ends a campaign now or at another moment, and undoes that. */
function End({ campaign }: { campaign: Campaign }) {
  const words = useCampaignWords()
  const client = useQueryClient()
  const [isAsked, setIsAsked] = useState(false)
  const [until, setUntil] = useState('')
  const [progress, setProgress] = useState<readonly [done: number, of: number] | null>(null)
  const [result, setResult] = useState<{ readonly text: string; readonly undo: string | null } | null>(null)
  const [problem, setProblem] = useState<{
    readonly error: Error
    readonly work: () => Promise<void>
  } | null>(null)
  const at = instantIn(until, shopZone())

  const attempt = async (work: () => Promise<void>) => {
    setProblem(null)
    setProgress([0, 0])
    try {
      await work()
    } catch (error) {
      setProblem({ error: error as Error, work })
    } finally {
      setProgress(null)
      await client.invalidateQueries()
    }
  }
  const onProgress = (done: number, of: number) => setProgress([done, of])
  const show = ({ operation, refusals }: Outcome) => {
    const [reason] = refusals.values()
    const text = words.done(operation.lines - refusals.size, refusals.size)
    setResult({ text: `${text}${reason?.message ?? ''}`, undo: operation['@id'] })
  }
  const end = (moment: string | null) =>
    attempt(async () => show(await endCampaign(campaign['@id'], moment, onProgress)))
  const undo = (operation: string) =>
    attempt(async () => {
      const undone = await revert(operation, onProgress)
      setResult({ text: words.undone(undone.operation.lines - undone.refusals.size), undo: null })
    })
  const isBusy = progress !== null
  return (
    <Box sx={{ my: 2 }}>
      <Stack direction="row" useFlexGap spacing={2} sx={{ flexWrap: 'wrap', alignItems: 'flex-start' }}>
        <Button variant="contained" color="error" disabled={isBusy} onClick={() => setIsAsked(true)}>
          {words.endNow}
        </Button>
        <TextField
          type="datetime-local"
          size="small"
          label={words.newEnd}
          helperText={words.zone(zoneText())}
          value={until}
          onChange={({ target }) => setUntil(target.value)}
          slotProps={{ inputLabel: { shrink: true } }}
        />
        <Button
          variant="outlined"
          disabled={isBusy || at === null}
          onClick={() => at && end(at.toISOString())}
        >
          {words.change}
        </Button>
      </Stack>
      {isAsked && (
        <Modal
          title={words.ask(campaign.name)}
          onClose={() => setIsAsked(false)}
          actions={
            <>
              <Button onClick={() => setIsAsked(false)}>{words.cancel}</Button>
              <Button
                variant="contained"
                color="error"
                onClick={() => {
                  setIsAsked(false)
                  void end(null)
                }}
              >
                {words.endNow}
              </Button>
            </>
          }
        >
          <Typography>{words.asked(campaign.offers)}</Typography>
        </Modal>
      )}
      {progress && (
        <Box sx={{ mt: 1 }}>
          <LinearProgress
            aria-label={words.endNow}
            variant={progress[1] > 0 ? 'determinate' : 'indeterminate'}
            value={progress[1] > 0 ? (100 * progress[0]) / progress[1] : 0}
          />
          <Typography variant="body2" role="status">
            {words.progress(...progress)}
          </Typography>
        </Box>
      )}
      {result && !isBusy && (
        <Alert
          severity="success"
          sx={{ mt: 1 }}
          action={
            result.undo !== null && (
              <Button color="inherit" size="small" onClick={() => undo(result.undo ?? '')}>
                {words.undo}
              </Button>
            )
          }
        >
          {result.text}
        </Alert>
      )}
      {problem && (
        <Box sx={{ mt: 1 }}>
          <Problem error={problem.error} onRetry={() => attempt(problem.work)} />
        </Box>
      )}
    </Box>
  )
}

type Offer = {
  readonly '@id': string
  readonly variant: string
  readonly channel: string | null
  readonly countries: readonly string[]
  readonly amount: string
  readonly currency: string
  readonly validUntil: string | null
  readonly state: string
}
type Page = { readonly member: readonly Offer[]; readonly view?: { readonly next?: string } }

/** The prices of a campaign. */
function Offers({ campaign }: { campaign: string }) {
  const words = useCampaignWords()
  const { next } = useWords('languages')
  const language = useLocale()
  const { data, error, hasNextPage, fetchNextPage, isFetching } = useInfiniteQuery({
    queryKey: ['campaign offers', campaign],
    initialPageParam: `/api/sale_offers?campaign=${encodeURIComponent(campaign)}&itemsPerPage=50`,
    queryFn: async ({ pageParam }) => {
      const { json } = await call<Page>(pageParam)
      await learnNames(json.member.map(({ variant }) => variant))
      return json
    },
    getNextPageParam: (page) => page.view?.next,
    staleTime: 0,
  })
  if (error) return <Alert severity="warning">{error.message}</Alert>
  if (!data) return <Loading />
  return (
    <>
      <DataTable
        label={words.offers}
        rows={data.pages.flatMap(({ member }) => member)}
        keyOf={(offer) => offer['@id']}
        columns={[
          {
            title: words.product,
            content: ({ variant }) => nameOf(variant) ?? variant,
            component: 'th',
            scope: 'row',
            sx: { overflowWrap: 'anywhere' },
          },
          {
            title: words.where,
            content: ({ channel, countries }) =>
              [channel, ...countries].filter(Boolean).join(', ') || words.everywhere,
          },
          { title: words.amount, align: 'right', content: ({ amount, currency }) => `${amount} ${currency}` },
          {
            title: words.until,
            content: ({ validUntil }) =>
              validUntil === null ? words.open : momentText(validUntil, language),
          },
          { title: words.state, content: ({ state }) => words.ofOffer[state] ?? state },
        ]}
      />
      {hasNextPage && (
        <Button disabled={isFetching} onClick={() => fetchNextPage()} sx={{ mt: 1 }}>
          {next}
        </Button>
      )}
    </>
  )
}
