import ArchiveIcon from '@mui/icons-material/Archive'
import { useState } from 'react'
import { Button, Confirm, SaveButton, Toolbar, useDeleteController, useRecordContext } from 'react-admin'
import { useWords } from '../core/i18n.ts'

/** The toolbar of a resource that DELETE archives: Save, and Archive after a question. */
export function ArchiveToolbar({ question, hint }: { question: string; hint: string }) {
  const words = useWords('layout')
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
      {record?.status !== 'ARCHIVED' && (
        <Button label={words.archive} color="error" size="medium" onClick={() => setOpen(true)}>
          <ArchiveIcon />
        </Button>
      )}
      <Confirm
        isOpen={isOpen}
        loading={isPending}
        title={question}
        content={hint}
        confirm={words.archive}
        onConfirm={() => handleDelete()}
        onClose={close}
      />
    </Toolbar>
  )
}
