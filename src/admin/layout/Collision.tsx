import {
  Alert,
  Box,
  Button,
  FormControl,
  FormControlLabel,
  FormLabel,
  Radio,
  RadioGroup,
  Typography,
} from '@mui/material'
import { useState } from 'react'
import { useTranslateLabel } from 'react-admin'
import { type Choice, type Conflict, chosenFor, resolved } from '../core/conflict.ts'
import { collision } from '../core/data-provider.ts'
import { useWords } from '../core/i18n.ts'
import { useReadable } from '../fields/readable.ts'
import { Modal } from './Modal.tsx'

/** Shows concurrent changes next to the changes of the form, property by property. */
export function Collision() {
  const pending = collision.useAsked()
  return pending && <Choices key={String(pending.asked.theirs['@etag'])} {...pending} />
}

function Choices({
  asked: { resource, theirs, found },
  answer,
}: NonNullable<ReturnType<typeof collision.useAsked>>) {
  const words = useWords('layout')
  const label = useTranslateLabel()
  const [choices, setChoices] = useState<Readonly<Record<string, Choice>>>(() =>
    Object.fromEntries(found.flatMap(({ path, changedBy }) => (changedBy ? [[path, changedBy]] : []))),
  )
  const undecided = found.filter(({ path }) => choices[path] === undefined).length
  const chooseAll = (side: Choice) => setChoices(chosenFor(found, side))
  return (
    <Modal
      maxWidth="md"
      onClose={() => answer(null)}
      title={words.somebodyElse}
      actions={
        <>
          {undecided > 0 && (
            <Typography variant="body2" sx={{ flex: '1 1 160px', pl: 2 }}>
              {words.undecided(undecided)}
            </Typography>
          )}
          <Button onClick={() => answer(null)}>{words.backToForm}</Button>
          <Button
            variant="contained"
            disabled={undecided > 0}
            onClick={() => answer(resolved(theirs, found, choices))}
          >
            {words.saveThese}
          </Button>
        </>
      }
    >
      <Alert severity="info" sx={{ mb: 2 }}>
        {words.nothingSavedYet}
      </Alert>
      <Box sx={{ display: 'flex', gap: 1, mb: 2 }}>
        <Button variant="outlined" size="small" onClick={() => chooseAll('mine')}>
          {words.keepMine}
        </Button>
        <Button variant="outlined" size="small" onClick={() => chooseAll('theirs')}>
          {words.takeTheirs}
        </Button>
      </Box>
      {found.map((each) => (
        <Property
          key={each.path}
          {...each}
          name={String(label({ resource, source: each.path }))}
          choice={choices[each.path]}
          onChoose={(choice) => setChoices({ ...choices, [each.path]: choice })}
        />
      ))}
    </Modal>
  )
}

function Property({
  name,
  path,
  before,
  mine,
  theirs,
  changedBy,
  choice,
  onChoose,
}: Conflict & { name: string; choice: Choice | undefined; onChoose: (choice: Choice) => void }) {
  const words = useWords('layout')
  const { labelled } = useWords('fields')
  const text = useReadable()
  const versions = [
    ['mine', changedBy === 'theirs' ? words.asItWas : words.mine, mine],
    ['theirs', words.theirs, theirs],
  ] as const
  return (
    <FormControl component="fieldset" fullWidth sx={{ mb: 2 }}>
      <FormLabel component="legend" sx={{ fontWeight: 600 }}>
        {name}
        <Box component="span" sx={{ fontWeight: 400, ml: 1 }}>
          {words.was(text(before, path))}
        </Box>
      </FormLabel>
      <RadioGroup
        value={choice ?? null}
        onChange={(_, value) => onChoose(value as Choice)}
        sx={{
          display: 'grid',
          gap: 1,
          gridTemplateColumns: 'repeat(auto-fit, minmax(min(100%, 240px), 1fr))',
        }}
      >
        {versions.map(([value, whose, version]) => (
          <FormControlLabel
            key={value}
            value={value}
            control={<Radio size="small" />}
            label={
              <>
                <strong>{labelled(whose, '')}</strong>
                {text(version, path)}
              </>
            }
            sx={{
              m: 0,
              pr: 1,
              border: 1,
              borderColor: choice === value ? 'primary.main' : 'divider',
              borderRadius: 2,
              overflowWrap: 'anywhere',
            }}
          />
        ))}
      </RadioGroup>
    </FormControl>
  )
}
