/** The policies of prior prices: their rules, their acts, and the tenant's choice of rules. */
import BlockIcon from '@mui/icons-material/Block'
import UndoIcon from '@mui/icons-material/Undo'
import { Alert, Chip, Link, Typography } from '@mui/material'
import type { ReactNode } from 'react'
import {
  AutocompleteInput,
  Create,
  CreateButton,
  Datagrid,
  DeleteWithConfirmButton,
  FunctionField,
  List,
  NumberInput,
  type RaRecord,
  required,
  SaveButton,
  SelectInput,
  Toolbar,
  useGetList,
  useLocaleState,
  useRecordContext,
} from 'react-admin'
import { useWatch } from 'react-hook-form'
import { hasScope } from '../core/session.ts'
import { momentText } from '../core/zone.ts'
import { EditPage } from '../layout/EditPage.tsx'
import { Form } from '../layout/Form.tsx'
import { RowLink } from '../layout/ReachableRows.tsx'
import { Section } from '../layout/Section.tsx'
import { countryName, everyCountry } from '../prices/markets.ts'
import { usePolicyWords } from './words.ts'

const ruleNames = ['days', 'series', 'seriesDays', 'newerGoods', 'perishables'] as const
type Rules = Readonly<Record<string, unknown>>

/** The rules that the service takes for a country without an act. */
const directive: Rules = { days: 30, series: 'none', newerGoods: 'not_announced', perishables: 'same' }

/** The rules that differ from those of the act: the others stay those of the act, also after it changes. */
function choiceOf(rules: Rules, act: Rules | null): Rules {
  const typed = rules.series === 'successive_within' ? rules : { ...rules, seriesDays: null }
  const chosen = ruleNames.map((name) => [name, typed[name] ?? null] as const)
  return Object.fromEntries(chosen.filter(([name, value]) => !act || value !== (act[name] ?? null)))
}

/** Whether the act permits rules, as the service decides it for `verified`. */
function isPermitted(rules: Rules, act: Rules, optionalSeries: string | null): boolean {
  const { days = act.days, series, ...others } = choiceOf(rules, act)
  const isOptional = series !== undefined && series === optionalSeries
  const names = Object.keys(others).filter((name) => !isOptional || name !== 'seriesDays')
  return Number(days) >= Number(act.days) && (series === undefined || isOptional) && names.length === 0
}

const mayWrite = () => hasScope('sale_offers:write')

export function PolicyList() {
  const words = usePolicyWords()
  const [language = 'en'] = useLocaleState()
  const columns: Readonly<Record<string, (policy: RaRecord) => ReactNode>> = {
    country: ({ country }) => <RowLink>{countryName(country, language)}</RowLink>,
    days: ({ days }) => days,
    series: ({ series, seriesDays: days }) => (days === null ? words.series[series] : words.within(days)),
    newerGoods: ({ newerGoods }) => words.newerGoods[newerGoods],
    perishables: ({ perishables }) => words.perishables[perishables],
    source: () => <Act />,
    verified: ({ verified }) =>
      verified ? words.yes : <Chip size="small" color="warning" label={words.unverified} />,
    chosenSince: ({ chosenSince }) => (chosenSince ? momentText(chosenSince, language) : words.no),
  }
  return (
    <List pagination={false} exporter={false} actions={mayWrite() ? <CreateButton /> : false}>
      <Alert severity="info">{words.advice}</Alert>
      <Datagrid rowClick="edit" bulkActionButtons={false}>
        {Object.entries(columns).map(([source, render]) => (
          <FunctionField key={source} source={source} sortable={false} render={render} />
        ))}
      </Datagrid>
    </List>
  )
}

/** The act of a policy with its section, as a link to the page that was read. */
function Act() {
  const words = usePolicyWords()
  const source = useRecordContext()?.source
  if (!source) return words.noAct
  const text = `${source.act}, ${source.section}`
  if (!source.url) return text
  return (
    // In the list, a click on the row opens the policy.
    <Link href={source.url} target="_blank" rel="noopener noreferrer" onClick={(e) => e.stopPropagation()}>
      {text}
    </Link>
  )
}

export function PolicyEdit() {
  return (
    <EditPage
      title={<Name />}
      transform={(policy: RaRecord) => ({
        '@etag': policy['@etag'],
        ...choiceOf(policy, policy.actRules),
      })}
    >
      <Form toolbar={<PolicyToolbar />}>
        <Source />
        <RuleInputs />
      </Form>
    </EditPage>
  )
}

function Name() {
  const [language = 'en'] = useLocaleState()
  const { title } = usePolicyWords()
  const policy = useRecordContext()
  return policy && title(countryName(policy.country, language))
}

/** The act and its reading, and the tenant's choice. */
function Source() {
  const words = usePolicyWords()
  const [language = 'en'] = useLocaleState()
  const policy = useRecordContext()
  if (!policy) return null
  const { source, verified, note, chosenSince } = policy
  return (
    <Section title={words.act}>
      <Act />
      {source && (
        <Typography variant="body2" lang="en" sx={{ my: 1 }}>
          {note}
        </Typography>
      )}
      {chosenSince && <Typography>{words.chosenSince(momentText(chosenSince, language))}</Typography>}
      {!verified && <Alert severity="info">{words.unverifiedHint}</Alert>}
    </Section>
  )
}

function PolicyToolbar() {
  const words = usePolicyWords()
  const policy = useRecordContext()
  if (!mayWrite()) return null
  return (
    <Toolbar sx={{ justifyContent: 'space-between' }}>
      <SaveButton />
      {policy?.actRules && policy.chosenSince && (
        <SaveButton
          type="button"
          alwaysEnable
          variant="outlined"
          label={words.asAct}
          icon={<UndoIcon />}
          transform={({ '@etag': etag }) => ({ '@etag': etag })}
        />
      )}
      <DeleteWithConfirmButton
        size="medium"
        label={words.remove}
        icon={<BlockIcon />}
        confirmTitle={words.removeQuestion}
        confirmContent={words.removeHint}
      />
    </Toolbar>
  )
}

/** Chooses the policy of a country without a policy. If no rule is changed, the act of the country applies. */
export function PolicyCreate() {
  const words = usePolicyWords()
  const [language = 'en'] = useLocaleState()
  const { data = [] } = useGetList('price_policies')
  const existing = new Set(data.map(({ country }) => country))
  const countries = everyCountry().filter((code) => !existing.has(code))
  return (
    <Create
      redirect="edit"
      title="resources.price_policies.action.create"
      component="div"
      transform={({ country, ...rules }: RaRecord) => {
        const isUntouched = Object.keys(choiceOf(rules, directive)).length === 0
        return { country, ...(isUntouched ? {} : choiceOf(rules, null)) }
      }}
    >
      <Form defaultValues={directive}>
        <Section title={words.country}>
          <AutocompleteInput
            source="country"
            choices={countries.map((id) => ({ id, name: countryName(id, language) }))}
            validate={required()}
            helperText={words.createHint}
            fullWidth
          />
        </Section>
        <RuleInputs />
      </Form>
    </Create>
  )
}

/** The rules, with a warning if the act does not permit them. */
function RuleInputs() {
  const words = usePolicyWords()
  const policy = useRecordContext()
  const rules: Rules = useWatch()
  const readOnly = !mayWrite()
  const shared = { readOnly, validate: required() }
  const permitted = policy?.optionalSeries && words.series[policy.optionalSeries]
  return (
    <Section title={words.rules}>
      <NumberInput source="days" helperText={words.daysHint} {...shared} />
      <SelectInput
        source="series"
        choices={choicesOf(words.series)}
        helperText={permitted && words.permitted(permitted)}
        fullWidth
        {...shared}
      />
      {rules.series === 'successive_within' && (
        <NumberInput source="seriesDays" readOnly={readOnly} helperText={words.seriesDaysHint} />
      )}
      <SelectInput source="newerGoods" choices={choicesOf(words.newerGoods)} fullWidth {...shared} />
      <SelectInput source="perishables" choices={choicesOf(words.perishables)} fullWidth {...shared} />
      {policy?.actRules && !isPermitted(rules, policy.actRules, policy.optionalSeries) && (
        <Alert severity="warning">{words.notPermitted}</Alert>
      )}
      <Typography variant="body2">{readOnly ? words.readOnly : words.fromNowOn}</Typography>
    </Section>
  )
}

const choicesOf = (names: Readonly<Record<string, string>>) =>
  Object.entries(names).map(([id, name]) => ({ id, name }))
