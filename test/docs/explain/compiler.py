"""Examples of support/diagnostics/Compiler.def."""
from explain.kinds import file, ir_files, shell

EXAMPLES = {
    "E0601": shell(
        also={"small.json": '{"name": "small", "base": "X2_1204", "sramBytes": 131072}',
              **ir_files("""Activation x:float32[1,64,64,64] -> y:float32[1,64,64,64]
                  method=RELU""", name="wide")}),
    "E0602": file("net.txt", "yarrow compile net.txt -w net.bin", """model_name=net
layer_number=1
precision=float32
model_bin=./net.bin
input_tensors=[x]
output_tensors=[x]

layer_id=0
layer_name=in
layer_type=Input
layer_bottom=[]
layer_bottom_shape=[]
layer_bottom_type=[]
layer_top=[x]
layer_top_type=[float32]
{}
"""),
}
