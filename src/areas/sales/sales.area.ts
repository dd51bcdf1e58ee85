/** What other areas may use besides the services. */
export type { HeldChange } from './deals/deal.holds.js';
export { Deal, deals } from './deals/deal.js';
export { PipelineStage } from './pipelines/pipeline.stages.js';
