/** The policies of prior prices: their rules, their acts, and the tenant's choice of rules. */
import BlockIcon from '@mui/icons-material/Block'
import UndoIcon from '@mui/icons-material/Undo'
import { Alert, Chip, Link, Typography } from '@mui/material'
import {
  AutocompleteInput,
  Create,
  CreateButton,
  Datagrid,
  FunctionField,
  List,
  NumberInput,
  required,
  SaveButton,
  SelectInput,
  TopToolbar,
  useGetList,
  useLocaleState,
  useRecordContext,
} from 'react-admin'
import { useWatch } from 'react-hook-form'
import { useWords } from '../core/i18n.ts'
import { hasScope } from '../core/session.ts'
import { momentText } from '../core/zone.ts'
import { ArchiveToolbar } from '../layout/ArchiveToolbar.tsx'
import { EditPage } from '../layout/EditPage.tsx'
import { Form } from '../layout/Form.tsx'
import { RowLink } from '../layout/ReachableRows.tsx'
import { Section } from '../layout/Section.tsx'
import { countryName, everyCountry } from '../prices/markets.ts'

type Rules = {
  readonly days: number
  readonly series: string
  readonly seriesDays: number | null
  readonly newerGoods: string
  readonly perishables: string
}

type Policy = Rules & {
  readonly country: string
  readonly validFrom: string
  readonly optionalSeries: string | null
  readonly source: { readonly act: string; readonly section: string; readonly url: string | null } | null
  readonly verified: boolean
  readonly note: string
  readonly actRules: Rules | null
  readonly chosenSince: string | null
}

type PolicyRecord = Policy & { readonly id: string }

/** The rules of the directive, which the service takes for a country without an act. */
const directive: Rules = {
  days: 30,
  series: 'none',
  seriesDays: null,
  newerGoods: 'not_announced',
  perishables: 'same',
}

/** The rules that differ from those of the act: the others stay those of the act, also after it changes. */
function choiceOf(rules: Rules, act: Rules | null): Partial<Rules> {
  const { days, series, seriesDays, newerGoods, perishables } = rules
  const isWithin = series === 'successive_within'
  const typed = { days, series, seriesDays: isWithin ? seriesDays : null, newerGoods, perishables }
  if (!act) return typed
  return Object.fromEntries(
    Object.entries(typed).filter(([name, value]) => value !== act[name as keyof Rules]),
  )
}

/** Whether the act permits rules, as the service decides it for `verified`. */
function isPermitted(rules: Rules, act: Rules, optionalSeries: string | null): boolean {
  const { days, series, ...others } = choiceOf(rules, act)
  if (series !== undefined && series === optionalSeries) delete others.seriesDays
  return (
    (days === undefined || days >= act.days) &&
    (series === undefined || series === optionalSeries) &&
    Object.keys(others).length === 0
  )
}

const mayWrite = () => hasScope('sale_offers:write')

export function PolicyList() {
  const words = useWords('policies')
  const [language = 'en'] = useLocaleState()
  return (
    <List
      pagination={false}
      exporter={false}
      actions={<TopToolbar>{mayWrite() && <CreateButton />}</TopToolbar>}
    >
      <Alert severity="info">{words.advice}</Alert>
      <Datagrid rowClick="edit" bulkActionButtons={false}>
        <FunctionField
          source="country"
          sortable={false}
          render={({ country }) => <RowLink>{countryName(country, language)}</RowLink>}
        />
        <FunctionField source="days" sortable={false} render={({ days }) => days} />
        <FunctionField
          source="series"
          sortable={false}
          render={({ series, seriesDays }) =>
            seriesDays === null ? words.series[series] : words.within(seriesDays)
          }
        />
        <FunctionField
          source="newerGoods"
          sortable={false}
          render={({ newerGoods }) => words.newerGoods[newerGoods]}
        />
        <FunctionField
          source="perishables"
          sortable={false}
          render={({ perishables }) => words.perishables[perishables]}
        />
        <FunctionField source="source" sortable={false} render={(policy) => <Act policy={policy} />} />
        <FunctionField source="verified" sortable={false} render={(policy) => <Verified policy={policy} />} />
        <FunctionField
          source="chosenSince"
          sortable={false}
          render={({ chosenSince }) => (chosenSince ? momentText(chosenSince, language) : words.notChosen)}
        />
      </Datagrid>
    </List>
  )
}

/** The act of a policy with its section, as a link to the page that was read. */
function Act({ policy: { source } }: { policy: Policy }) {
  const words = useWords('policies')
  if (!source) return words.noAct
  const text = `${source.act}, ${source.section}`
  if (!source.url) return text
  return (
    // In the list, a click on the row opens the policy.
    <Link
      href={source.url}
      target="_blank"
      rel="noopener noreferrer"
      onClick={(event) => event.stopPropagation()}
    >
      {text}
    </Link>
  )
}

function Verified({ policy: { verified } }: { policy: Policy }) {
  const words = useWords('policies')
  return verified ? words.verified : <Chip size="small" color="warning" label={words.unverified} />
}

export function PolicyEdit() {
  return (
    <EditPage
      title={<Name />}
      transform={(policy: Policy & { '@etag': string }) => ({
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
  return useWords('policies').title(countryName(useRecordContext<PolicyRecord>()?.country ?? '', language))
}

/** The act and its reading, and the tenant's choice. */
function Source() {
  const words = useWords('policies')
  const [language = 'en'] = useLocaleState()
  const policy = useRecordContext<PolicyRecord>()
  if (!policy) return null
  const { source, verified, note, chosenSince } = policy
  return (
    <Section title={words.act}>
      <Typography>
        <Act policy={policy} />
      </Typography>
      {source && (
        <Typography variant="body2" color="text.secondary" lang="en" sx={{ my: 1 }}>
          {note}
        </Typography>
      )}
      {chosenSince && <Typography>{words.chosenSince(momentText(chosenSince, language))}</Typography>}
      {!verified && <Alert severity="info">{words.unverifiedHint}</Alert>}
    </Section>
  )
}

function PolicyToolbar() {
  const words = useWords('policies')
  const policy = useRecordContext<PolicyRecord>()
  if (!mayWrite()) return null
  return (
    <ArchiveToolbar
      label={words.remove}
      icon={<BlockIcon />}
      question={words.removeQuestion}
      hint={words.removeHint}
    >
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
    </ArchiveToolbar>
  )
}

/** Chooses the policy of a country that has none. */
export function PolicyCreate() {
  const words = useWords('policies')
  const [language = 'en'] = useLocaleState()
  const { data = [] } = useGetList<PolicyRecord>('price_policies')
  const existing = new Set(data.map(({ country }) => country))
  return (
    <Create
      redirect="edit"
      component="div"
      transform={({ country, ...rules }: Policy) => {
        const isUntouched = Object.keys(choiceOf(rules, directive)).length === 0
        return { country, ...(isUntouched ? {} : choiceOf(rules, null)) }
      }}
    >
      <Form defaultValues={directive}>
        <Section title={words.where}>
          <AutocompleteInput
            source="country"
            choices={everyCountry()
              .filter((code) => !existing.has(code))
              .map((id) => ({ id, name: countryName(id, language) }))}
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
  const words = useWords('policies')
  const policy = useRecordContext<PolicyRecord>()
  const rules = useWatch() as Rules
  const readOnly = !mayWrite()
  const choice = { readOnly, validate: required(), fullWidth: true }
  const { actRules = null, optionalSeries = null } = policy ?? {}
  return (
    <Section title={words.rules}>
      <NumberInput source="days" readOnly={readOnly} validate={required()} helperText={words.daysHint} />
      <SelectInput
        source="series"
        choices={choicesOf(words.series)}
        helperText={optionalSeries && words.permitted(words.series[optionalSeries] ?? optionalSeries)}
        {...choice}
      />
      {rules.series === 'successive_within' && (
        <NumberInput source="seriesDays" readOnly={readOnly} helperText={words.seriesDaysHint} />
      )}
      <SelectInput source="newerGoods" choices={choicesOf(words.newerGoods)} {...choice} />
      <SelectInput source="perishables" choices={choicesOf(words.perishables)} {...choice} />
      {readOnly && <Alert severity="info">{words.readOnly}</Alert>}
      {actRules && !isPermitted(rules, actRules, optionalSeries) && (
        <Alert severity="warning">{words.notPermitted}</Alert>
      )}
      {!readOnly && <Typography variant="body2">{words.fromNowOn}</Typography>}
    </Section>
  )
}

const choicesOf = (names: Readonly<Record<string, string>>) =>
  Object.entries(names).map(([id, name]) => ({ id, name }))
