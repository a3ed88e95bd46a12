import ExpandMoreIcon from '@mui/icons-material/ExpandMore'
import { Accordion, AccordionDetails, AccordionSummary, Typography } from '@mui/material'
import { type ReactNode, useEffect, useRef, useState } from 'react'

/** An event that opens every part of a page around it. */
export const revealing = 'catalogue:reveal'

const insideStyle = {
  pt: 1,
  // A hint keeps away from the label of the next input.
  '& .MuiFormHelperText-root': { mb: 1.5 },
  '& .RaSimpleFormIterator-line': { pt: 2 },
  // Otherwise only the mouse makes them visible.
  '&& .RaSimpleFormIterator-action': { visibility: 'visible' },
}

/** A titled part of a page that can be folded away. */
export function Section({
  title,
  open = true,
  aside,
  lazy = false,
  children,
}: {
  title: string
  open?: boolean
  aside?: ReactNode
  /** Its content is read when it is opened. */
  lazy?: boolean
  children: ReactNode
}) {
  const [isOpen, setOpen] = useState(open)
  const part = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const reveal = () => setOpen(true)
    const { current } = part
    current?.addEventListener(revealing, reveal)
    return () => current?.removeEventListener(revealing, reveal)
  }, [])
  return (
    <Accordion
      ref={part}
      expanded={isOpen}
      onChange={(_, next) => setOpen(next)}
      variant="outlined"
      slotProps={{ transition: { unmountOnExit: lazy } }}
      disableGutters
      sx={{ mb: 2, '&&': { borderRadius: 3 }, '&:before': { display: 'none' }, width: '100%' }}
    >
      <AccordionSummary expandIcon={<ExpandMoreIcon />}>
        <Typography variant="h6" component="h2" sx={{ flex: 1 }}>
          {title}
        </Typography>
        {aside}
      </AccordionSummary>
      <AccordionDetails sx={insideStyle}>{children}</AccordionDetails>
    </Accordion>
  )
}
