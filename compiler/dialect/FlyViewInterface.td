// The interface of operations that make a view of a view. Included by FlyOps.td; compiler/dialect/Views.h follows them.
#ifndef FLY_VIEW_INTERFACE_TD
#define FLY_VIEW_INTERFACE_TD

include "mlir/IR/OpBase.td"

def Fly_ViewOpInterface : OpInterface<"ViewOpInterface"> {
  let cppNamespace = "::fly::ir";
  let description = [{
    Shows the memory of a view in another way: a part of it, other coordinates, other elements, or through a buffer. The
    sources of a view lead to the `fly.make_tensor` that all of them show.
  }];
  let methods = [
    InterfaceMethod<"The view that this one is made of; null where a layout is rearranged, not a tensor.",
                    "::mlir::Value", "getViewSource", (ins), "", [{ return $_op.getTensor(); }]>,
    InterfaceMethod<"Whether it is accessed as its source is: through the same buffer, without offsets by hand.",
                    "bool", "isReachedAsSource", (ins), "", [{ return true; }]>];
}

// Of operations that change how memory is reached.
defvar ReachesOtherwise = DeclareOpInterfaceMethods<Fly_ViewOpInterface, ["isReachedAsSource"]>;

#endif
