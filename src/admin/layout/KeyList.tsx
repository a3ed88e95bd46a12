import { Box, Button, Typography } from '@mui/material'
import { useTranslate } from 'react-admin'
import { useKeyWords } from './key-words.ts'
import { Modal } from './Modal.tsx'

/** Lists the keys of `Keys`. */
export function KeyList({ onClose }: { onClose: () => void }) {
  const words = useKeyWords()
  const translate = useTranslate()
  return (
    <Modal
      title={words.title}
      onClose={onClose}
      actions={<Button onClick={onClose}>{translate('ra.action.close')}</Button>}
    >
      <Box
        component="dl"
        sx={{ display: 'grid', gridTemplateColumns: 'auto 1fr', columnGap: 3, rowGap: 1, m: 0 }}
      >
        {Object.entries(words.keys).map(([key, effect]) => (
          <Box key={key} sx={{ display: 'contents' }}>
            <Typography component="dt" sx={{ fontFamily: 'monospace', whiteSpace: 'nowrap' }}>
              {key}
            </Typography>
            <Typography component="dd" sx={{ m: 0 }}>
              {effect}
            </Typography>
          </Box>
        ))}
      </Box>
    </Modal>
  )
}
