import ArchiveIcon from '@mui/icons-material/Archive'
import { type ReactNode, useState } from 'react'
import { Button, Confirm, SaveButton, Toolbar, useDeleteController, useRecordContext } from 'react-admin'
import { useWords } from '../core/i18n.ts'

/** The toolbar of a resource that DELETE archives: Save, other buttons, and Archive, or what DELETE means, after a question. */
export function ArchiveToolbar({
  question,
  hint,
  label: ownLabel,
  icon = <ArchiveIcon />,
  children,
}: {
  question: string
  hint: string
  label?: string
  icon?: ReactNode
  children?: ReactNode
}) {
  const words = useWords('layout')
  const label = ownLabel ?? words.archive
  const [isOpen, setOpen] = useState(false)
  const record = useRecordContext()
  const close = () => setOpen(false)
  const { isPending, handleDelete } = useDeleteController({
    mutationMode: 'pessimistic',
    redirect: 'list',
    mutationOptions: { onSettled: close },
  })
  return (
    <Toolbar sx={{ justifyContent: 'space-between' }}>
      <SaveButton />
      {children}
      {record?.status !== 'ARCHIVED' && (
        <Button label={label} color="error" size="medium" onClick={() => setOpen(true)}>
          {icon}
        </Button>
      )}
      <Confirm
        isOpen={isOpen}
        loading={isPending}
        title={question}
        content={hint}
        confirm={label}
        onConfirm={() => handleDelete()}
        onClose={close}
      />
    </Toolbar>
  )
}
