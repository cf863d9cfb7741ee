#version 450
// Which workgroup and which of its work-items wrote an element: base groups and three dimensions.
layout(local_size_x = 3, local_size_y = 5, local_size_z = 2) in;
layout(set = 0, binding = 0) buffer X { uint unused[]; };
layout(set = 0, binding = 1) buffer Y { uvec4 ids[]; };
layout(push_constant) uniform P { uvec3 size; };
void main() {
  uvec3 at = gl_GlobalInvocationID;
  ids[(at.z * size.y + at.y) * size.x + at.x] = uvec4(gl_WorkGroupID, gl_LocalInvocationIndex);
}
