import { HydraAdmin } from '@api-platform/admin'
import { createRoot } from 'react-dom/client'

createRoot(document.getElementById('root')!).render(<HydraAdmin entrypoint={`${location.origin}/api`} />)
