/** What other areas may use besides the services. */
export { deals } from './deals/deal.js';
export { PipelineStage } from './pipelines/pipeline.stages.js';
