/** A node beside the thread, as it is beside the graph; with what that needs of its own. */
import type { ComponentProps } from "react";
import { NodeDrawer } from "../graph/drawer.tsx";
import "../style/graph.css";

export const NodePanel = (given: ComponentProps<typeof NodeDrawer>) => <NodeDrawer {...given} />;
